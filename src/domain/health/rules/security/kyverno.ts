import { condition, degraded, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

const POLICY: HealthRule = [
  healthy(condition('Ready'), '{kind} is ready'),
  degraded(condition('Ready', 'False')),
  progressing(otherwise, 'Waiting for {kind} to be ready'),
];

/** Kyverno (kyverno.io). */
export const kyverno: HealthRules = { 'kyverno.io/Policy': POLICY, 'kyverno.io/ClusterPolicy': POLICY };
