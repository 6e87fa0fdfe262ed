import { textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { conditionsOf } from '../conditions.ts';
import { condition, degraded, field, healthy, otherwise, progressing, suspended, type HealthRules } from '../rule.ts';

const TRANSITION = 'status.modelStatus.transitionStatus';

/** The transition of the model, then the conditions that do not hold, by their number. */
function unmet(_: string, object: KubeObject): string {
  const transition = textAt(object.status, 'modelStatus', 'transitionStatus') ?? '';
  const conditions = conditionsOf(object).map(({ type, status, reason, message }, index) => ({
    isMet: status === 'True' || type === 'Stopped',
    text: [`${index + 1}: ${type}`, status, reason, message].filter((part) => part !== '').join(' | '),
  }));
  const unmetOnes = conditions.filter(({ isMet }) => !isMet).map(({ text }) => text);
  return [transition === '' ? '' : `0: transitionStatus | ${transition}`, ...unmetOnes].join(' | ');
}

/** KServe (kserve.github.io): a model may fail to load while what serves it is ready. */
export const kserve: HealthRules = {
  'serving.kserve.io/InferenceService': [
    suspended(condition('Stopped'), 'InferenceService is Stopped'),
    degraded(field(TRANSITION, 'BlockedByFailedLoad', 'InvalidSpec'), unmet),
    progressing(field(TRANSITION, 'InProgress'), unmet),
    healthy(condition('Ready'), 'InferenceService is healthy.'),
    degraded(condition('Ready', 'False'), unmet),
    progressing(otherwise, unmet),
  ],
};
