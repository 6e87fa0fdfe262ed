import { type KubeObject, parseApiVersion } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import { genericHealth } from './generic.ts';
import { ruleFor } from './registry.ts';
import { deleted, evenWhenDeleted } from './rule.ts';

/** A health, and the rule that gave it: `apps/Deployment`, `generic`, or the place of a custom rule. */
export interface JudgedHealth extends Health {
  readonly rule: string;
}

/** What custom rules say of objects; they are evaluated when these are read, many at once. */
const custom = new WeakMap<KubeObject, JudgedHealth>();

/** Has `healthOf` answer for this very object with what a custom rule says; undefined: with the built-in rules again. */
export function setCustomHealth(object: KubeObject, health: JudgedHealth | undefined): void {
  if (health === undefined) custom.delete(object);
  else custom.set(object, health);
}

/**
 * The health of one object by a custom rule, where one was evaluated and matched; else by the rule of its kind; by the generic rule where the kind has none; undefined
 * where it has no conditions either, because a kind that says nothing about itself is not thereby healthy.
 */
export function healthOf(object: KubeObject): Health | undefined {
  const judged = judgeHealth(object);
  return judged === undefined ? undefined : { status: judged.status, message: judged.message };
}

/** The same with the rule that decided. */
export function judgeHealth(object: KubeObject): JudgedHealth | undefined {
  const isDeleted = deleted(object) !== undefined;
  const found = custom.get(object);
  // What rules say of the life of an object is no longer the news when it is being deleted, unless it is bad.
  if (found !== undefined && !(isDeleted && found.status === 'Healthy')) return found;
  const { group } = parseApiVersion(object.apiVersion);
  const rule = ruleFor(group, object.kind) ?? [];
  if (isDeleted && !rule.includes(evenWhenDeleted)) return { ...DELETED, rule: 'deletion' };
  for (const line of rule) {
    const health = line(object);
    if (health !== undefined) return { ...health, rule: `${group === '' ? 'v1' : group}/${object.kind}` };
  }
  const health = genericHealth(object);
  return health === undefined ? undefined : { ...health, rule: 'generic' };
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
