import {
  absent,
  condition,
  degraded,
  either,
  field,
  healthy,
  otherwise,
  outdated,
  progressing,
  suspended,
  type HealthRules,
} from '../rule.ts';

const PHASE = 'status.phase';

/** Numaflow (numaflow.numaproj.io): its vertices keep the phase `Running` while their pods fail, which a condition tells. */
export const numaflow: HealthRules = {
  'numaflow.numaproj.io/*': [
    progressing(either(absent('status'), outdated()), 'Waiting for {kind} status'),
    degraded(field(PHASE, 'Failed'), '{status.message|Failed}'),
    suspended(field(PHASE, 'Paused'), '{kind} is paused'),
    degraded(condition('*', 'False')),
    healthy(field(PHASE, 'Running'), '{kind} is healthy'),
    progressing(otherwise, 'Waiting for {kind} status'),
  ],
};
