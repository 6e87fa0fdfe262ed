import { degraded, healthy, progressing, reasonOf, type HealthRules } from '../rule.ts';

/** Atlas Operator (atlasgo.io): the reason of `Ready` names the step that failed. */
export const atlas: HealthRules = {
  'db.atlasgo.io/*': [
    healthy(reasonOf('Ready')),
    progressing(reasonOf('Ready', ['False', 'Unknown'], 'Reconciling')),
    degraded(reasonOf('Ready', 'False')),
  ],
};
