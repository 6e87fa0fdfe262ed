import { absent, degraded, field, healthy, progressing, unknown, type HealthRules } from '../rule.ts';

const STATUS = ['metadata', 'labels', 'shoot.gardener.cloud/status'];

/** Gardener sums its checks up in a label (gardener.cloud, "Shoot Status"). */
export const gardener: HealthRules = {
  'core.gardener.cloud/Shoot': [
    healthy(field(STATUS, 'healthy'), 'Component state: Healthy'),
    progressing(field(STATUS, 'progressing'), 'Component state: Update in progress'),
    degraded(field(STATUS, 'unhealthy'), 'Component state: Unhealthy'),
    unknown(field(STATUS), 'Component state: Unknown'),
    progressing(absent('status.lastOperation'), 'Component state: Update in progress'),
    degraded(field('status.lastOperation.state', 'Failed', 'Error'), '{status.lastOperation.description}'),
  ],
};
