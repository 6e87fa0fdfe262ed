import { degraded, field, healthy, progressing, type HealthRules } from '../rule.ts';

const ROBUSTNESS = 'status.robustness';

/** Longhorn (longhorn.io): the robustness of a volume counts while something has it attached. */
export const longhorn: HealthRules = {
  'longhorn.io/Volume': [
    degraded(field(ROBUSTNESS, 'degraded', 'faulted'), 'The volume is {}'),
    progressing(field('status.state', 'creating', 'attaching', 'detaching'), 'The volume is {}'),
    healthy(field('status.state', 'attached', 'detached'), 'The volume is {}'),
  ],
};
