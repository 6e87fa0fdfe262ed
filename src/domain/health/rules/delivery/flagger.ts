import { all, condition, degraded, field, healthy, otherwise, progressing, suspended, type HealthRules } from '../rule.ts';

const PHASE = 'status.phase';

/** Flagger (flagger.app): what it says of the last analysis stands in its condition. */
export const flagger: HealthRules = {
  'flagger.app/Canary': [
    healthy(all(condition('Promoted'), field(PHASE, 'Initialized', 'Succeeded'))),
    healthy(field(PHASE, 'Initialized', 'Succeeded')),
    degraded(all(condition('Promoted', 'False'), field(PHASE, 'Failed'))),
    degraded(field(PHASE, 'Failed')),
    suspended(field(PHASE, 'Waiting', 'WaitingPromotion'), 'Waiting for approval'),
    progressing(condition('Promoted', '*')),
    progressing(otherwise, 'Waiting for the canary to be initialized'),
  ],
};
