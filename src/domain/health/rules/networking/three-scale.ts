import { condition, degraded, field, healthy, otherwise, progressing, suspended, type HealthRule, type HealthRules } from '../rule.ts';

const RULE: HealthRule = [
  suspended(field('status.state', 'suspended'), '3scale {kind} is suspended'),
  degraded(condition(['Failed', 'Invalid', 'Orphan'])),
  healthy(condition('Synced'), '3scale {kind} is synced'),
  healthy(condition('Ready'), '3scale {kind} is ready'),
  progressing(condition('In-progress')),
  degraded(condition('Ready', 'False')),
  progressing(otherwise, 'Waiting for 3scale {kind} status...'),
];

/** 3scale (github.com/3scale/3scale-operator): products, backends and what belongs to them in the API manager. */
export const threeScale: HealthRules = {
  'capabilities.3scale.net/Backend': [
    degraded(condition('Failed'), '{|3scale Backend synchronization failed}'),
    degraded(condition('Invalid'), '{|3scale Backend configuration is invalid}'),
    ...RULE,
  ],
  'capabilities.3scale.net/*': RULE,
};
