import { degraded, field, healthy, progressing, unreported, type HealthRules } from '../rule.ts';

const PHASE = 'status.phase';

/** Confluent for Kubernetes (docs.confluent.io/operator): components and what is made in them have the same phases. */
export const confluent: HealthRules = {
  'platform.confluent.io/*': [
    healthy(field(PHASE, 'RUNNING'), '{kind} running'),
    progressing(field(PHASE, 'PROVISIONING'), '{kind} provisioning'),
    degraded(field(PHASE, 'FAILED', 'ERROR', 'DEGRADED'), '{kind} failed'),
    progressing(unreported, 'Waiting for {kind}'),
  ],
};
