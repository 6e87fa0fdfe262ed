import {
  condition,
  degraded,
  either,
  field,
  healthy,
  otherwise,
  outdated,
  progressing,
  suspended,
  unreported,
  type HealthRules,
} from '../rule.ts';

const PHASE = 'status.phase';

/** Numaflow (numaflow.numaproj.io): its vertices keep the phase `Running` while their pods fail, which a condition tells. */
export const numaflow: HealthRules = {
  'numaflow.numaproj.io/*': [
    progressing(either(unreported, outdated()), 'Waiting for {kind} status'),
    degraded(field(PHASE, 'Failed'), '{status.message|Failed}'),
    suspended(field(PHASE, 'Paused'), '{kind} is paused'),
    progressing(field(PHASE, 'Pausing', 'Deleting'), '{kind} is {status.phase}'),
    progressing(condition('*', 'Unknown'), 'Waiting for {kind} status'),
    degraded(condition('*', 'False')),
    healthy(field(PHASE, 'Running'), '{kind} is healthy'),
    progressing(otherwise, 'Waiting for {kind} status'),
  ],
};
