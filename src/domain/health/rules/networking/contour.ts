import { condition, conditionOutdated, degraded, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

const rule: HealthRule = [
  progressing(conditionOutdated('Valid'), 'Waiting for status'),
  healthy(condition('Valid')),
  degraded(condition('Valid', 'False')),
  progressing(otherwise, 'Waiting for status'),
];

/** Contour (projectcontour.io): `Valid` sums up the errors and warnings found in an object. */
export const contour: HealthRules = {
  'projectcontour.io/ExtensionService': rule,
  'projectcontour.io/HTTPProxy': rule,
};
