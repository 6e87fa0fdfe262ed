import type { KubeObject } from '../../../kubernetes/resource.ts';
import { conditionsOf, numberedConditions } from '../conditions.ts';
import { condition, degraded, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

/** What does not hold, a sentence and a reason each. */
function unmet(_: string, object: KubeObject): string {
  return conditionsOf(object)
    .filter(({ status }) => status !== 'True')
    .map(({ type, status, reason, message }) => `${type} is ${status}, since ${reason}. ${message}\n`)
    .join('');
}

const all = (_: string, object: KubeObject): string => numberedConditions(object);

/** `Ready` sums the others up; it is false only for good. */
const serving: HealthRule = [
  healthy(condition('Ready'), 'Knative {kind} is healthy.'),
  degraded(condition('Ready', 'False'), unmet),
  progressing(condition('Ready', '*'), unmet),
  progressing(otherwise, 'Waiting for Knative {kind}'),
];

/** `Ready` of an installation is false while it goes on. */
const installation: HealthRule = [
  healthy(condition('Ready'), '{kind} is healthy.'),
  progressing(condition('Ready', ['False', 'Unknown']), all),
  degraded(condition('Ready', '*'), all),
  progressing(otherwise, 'Waiting for {kind}'),
];

/** Knative (knative.dev/docs). */
export const knative: HealthRules = {
  'serving.knative.dev/Service': serving,
  'serving.knative.dev/Configuration': serving,
  'serving.knative.dev/Revision': serving,
  'serving.knative.dev/Route': serving,
  'autoscaling.internal.knative.dev/PodAutoscaler': [healthy(condition('Ready', 'False', 'NoTraffic'))],
  'operator.knative.dev/KnativeServing': installation,
  'operator.knative.dev/KnativeEventing': installation,
};
