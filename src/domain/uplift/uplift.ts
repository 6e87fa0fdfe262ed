import type { KubeObject } from '../kubernetes/resource.ts';
import type { Conversion, FailedConversion } from './conversion.ts';
import { RULES } from './rules.ts';

/** Group versions that no supported Kubernetes serves any more, so that what no rule knows in them is rejected rather than sent. */
const GONE = new Set([
  'extensions/v1beta1',
  'apps/v1beta1',
  'apps/v1beta2',
  'policy/v1beta1',
  'apiextensions.k8s.io/v1beta1',
  'rbac.authorization.k8s.io/v1alpha1',
  'rbac.authorization.k8s.io/v1beta1',
  'batch/v2alpha1',
  'batch/v1beta1',
  'autoscaling/v2beta1',
  'autoscaling/v2beta2',
  'certificates.k8s.io/v1beta1',
  'discovery.k8s.io/v1beta1',
  'events.k8s.io/v1beta1',
  'settings.k8s.io/v1alpha1',
]);

export interface Uplift {
  /** The objects in their order: converted ones carried over, rejected and modern ones exactly as they came. */
  readonly objects: readonly KubeObject[];
  readonly conversions: readonly Conversion[];
  readonly failedConversions: readonly FailedConversion[];
}

/** Carries rendered objects of legacy APIs over to those that today's Kubernetes serves. An object of a current API is returned as it is. */
export function uplift(objects: readonly KubeObject[]): Uplift {
  const conversions: Conversion[] = [];
  const failedConversions: FailedConversion[] = [];
  const lifted = objects.map((object) => {
    const rule = RULES[ruleKey(object)];
    const { apiVersion, kind, metadata } = object;
    if (rule === undefined) {
      if (GONE.has(apiVersion)) failedConversions.push({ kind, name: metadata.name, apiVersion, reason: gone(object) });
      return object;
    }
    const result = rule(object);
    if ('failed' in result) {
      failedConversions.push({ kind, name: metadata.name, apiVersion, reason: result.failed });
      return object;
    }
    const note = result.notes.join('; ');
    conversions.push({ kind, name: metadata.name, from: apiVersion, to: result.object.apiVersion, note });
    return result.object;
  });
  return { objects: lifted, conversions, failedConversions };
}

/** Whether the object is a CustomResourceDefinition of any version. */
export function isCustomResourceDefinition(object: KubeObject): boolean {
  return object.kind === 'CustomResourceDefinition' && object.apiVersion.startsWith('apiextensions.k8s.io/');
}

function ruleKey(object: KubeObject): string {
  return `${object.apiVersion} ${object.kind}`;
}

function gone(object: KubeObject): string {
  return `Kubernetes no longer serves ${object.apiVersion}, and there is no conversion for ${object.kind}; use a newer chart`;
}
