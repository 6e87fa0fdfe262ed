import { type KubeObject, parseApiVersion } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import { genericHealth } from './generic.ts';
import { ruleFor } from './registry.ts';
import { deleted, evenWhenDeleted } from './rule.ts';

/**
 * The health of one object by the rule of its kind; by the generic rule where the kind has none; undefined where it has no conditions either, because a kind
 * that says nothing about itself is not thereby healthy.
 */
export function healthOf(object: KubeObject): Health | undefined {
  const rule = ruleFor(parseApiVersion(object.apiVersion).group, object.kind) ?? [];
  if (deleted(object) !== undefined && !rule.includes(evenWhenDeleted)) return DELETED;
  for (const line of rule) {
    const health = line(object);
    if (health !== undefined) return health;
  }
  return genericHealth(object);
}

const DELETED: Health = { status: 'Progressing', message: 'Pending deletion' };

/** Groups that the api-server serves itself. CRDs of Kubernetes projects lie deeper, such as gateway.networking.k8s.io. */
const BUILT_IN = /^([a-z]*|[a-z]+\.k8s\.io|rbac\.authorization\.k8s\.io|(flowcontrol|internal)\.apiserver\.k8s\.io)$/;

/**
 * Where the health of objects of a kind stands: a rule of its own reads the full object, a custom resource may have conditions, and all others say nothing about
 * themselves, so that their metadata is enough.
 */
export function healthSource(apiVersion: string, kind: string): 'rule' | 'conditions' | 'none' {
  const { group } = parseApiVersion(apiVersion);
  if (ruleFor(group, kind) !== undefined) return 'rule';
  return BUILT_IN.test(group) ? 'none' : 'conditions';
}
