import type { Health } from '../../health.ts';
import { isObject, numberAt, textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { conditionsOf, sentence, type ForeignCondition } from '../conditions.ts';

const BROKEN = ['FailedGetScale', 'FailedUpdateScale', 'FailedGetResourceMetric', 'InvalidSelector', 'FailedGetObjectMetric'];

/** HorizontalPodAutoscaler, whose `autoscaling/v1` form keeps its conditions as JSON in an annotation. */
export function autoscalerHealth(object: KubeObject): Health {
  const conditions = object.apiVersion === 'autoscaling/v1' ? annotated(object) : conditionsOf(object);
  const broken = conditions.find((condition) => condition.status === 'False' && BROKEN.includes(condition.reason));
  if (broken !== undefined) return { status: 'Degraded', message: sentence(broken) };
  const able = conditions.find((condition) => condition.status === 'True' && ['AbleToScale', 'ScalingLimited'].includes(condition.type));
  if (able !== undefined) return { status: 'Healthy', message: sentence(able) };
  if (numberAt(object.status, 'currentCPUUtilizationPercentage') !== undefined && conditions.length > 0) {
    return { status: 'Healthy', message: 'Metrics are available' };
  }
  return { status: 'Progressing', message: 'Waiting for the first metrics' };
}

function annotated(object: KubeObject): ForeignCondition[] {
  const text = textAt(object.metadata, 'annotations', 'autoscaling.alpha.kubernetes.io/conditions');
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return conditionsOf({ ...object, status: { conditions: Array.isArray(parsed) ? parsed.filter((item) => isObject(item)) : [] } });
  } catch {
    return [
      {
        type: 'AbleToScale',
        status: 'False',
        reason: 'FailedGetScale',
        message: 'The annotation with the conditions cannot be read',
      },
    ];
  }
}
