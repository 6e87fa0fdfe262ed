import {
  condition,
  degraded,
  either,
  field,
  healthy,
  otherwise,
  outdated,
  progressing,
  reasonOf,
  unreported,
  type HealthRules,
} from '../rule.ts';

const PHASE = 'status.phase';

/** Numaplane (numaplane.numaproj.io): rollouts, each of which makes a child of Numaflow and replaces it with the next. */
export const numaplane: HealthRules = {
  'numaplane.numaproj.io/*': [
    progressing(either(unreported, outdated()), 'Not yet reconciled'),
    degraded(field(PHASE, 'Failed'), '{status.message|Failed}'),
    progressing(field(PHASE, 'Pending'), 'Update in progress'),
    degraded(condition('ProgressiveUpgradeSucceeded', 'False'), 'Progressive upgrade failed'),
    progressing(reasonOf('ChildResourcesHealthy', 'False', 'Progressing'), 'Child Progressing'),
    degraded(condition(['ChildResourceDeployed', 'ChildResourcesHealthy'], 'False')),
    progressing(condition(['ChildResourceDeployed', 'ChildResourcesHealthy'], 'Unknown'), 'Child Progressing'),
    healthy(field(PHASE, 'Deployed'), 'Healthy'),
    progressing(otherwise, 'Not yet reconciled'),
  ],
};
