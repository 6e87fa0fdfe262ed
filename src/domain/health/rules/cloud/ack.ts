import { absent, condition, degraded, healthy, progressing, type HealthRules } from '../rule.ts';

/** AWS Controllers for Kubernetes: every resource has the same conditions (aws-controllers-k8s.github.io, "Conditions"). */
export const ack: HealthRules = {
  '*.services.k8s.aws/*': [
    degraded(condition('ACK.Terminal')),
    degraded(condition('ACK.Recoverable')),
    healthy(condition(['ACK.ResourceSynced', 'Ready']), ''),
    progressing(condition(['ACK.ResourceSynced', 'Ready'], ['False', 'Unknown'])),
    progressing(absent('status.conditions'), 'Waiting for resource to be ready'),
  ],
  // What is adopted or exported is no resource of AWS, and has conditions of its own.
  'services.k8s.aws/*': [],
};
