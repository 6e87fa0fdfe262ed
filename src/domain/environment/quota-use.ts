import { formatQuantity, parseQuantity } from '../core/quantity.ts';
import { at, isObject, listAt, objectAt, textAt, textsAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** How much of one resource a namespace may hold, and how much it holds. */
export interface QuotaUse {
  /** The name of the ResourceQuota. */
  readonly quota: string;
  /** As the quota names it: `requests.cpu`, `count/pods`. */
  readonly resource: string;
  /** A quantity. */
  readonly hard: string;
  /** A quantity; absent until the cluster has counted. */
  readonly used?: string;
  /** Used of hard: `1` is all of it. Absent until the cluster has counted. */
  readonly share?: number;
  /** The quota counts only pods of these scopes; empty: all. */
  readonly scopes: readonly string[];
}

/** One resource of a LimitRange: what a container, a pod or a volume claim has by default, and its bounds. All are quantities. */
export interface LimitRule {
  /** The name of the LimitRange. */
  readonly limitRange: string;
  /** `Container`, `Pod` or `PersistentVolumeClaim`. */
  readonly type: string;
  readonly resource: string;
  readonly default?: string;
  readonly defaultRequest?: string;
  readonly min?: string;
  readonly max?: string;
  readonly maxLimitRequestRatio?: string;
}

/** The ResourceQuotas of a namespace, what is used most first. */
export function quotaUses(quotas: readonly KubeObject[]): QuotaUse[] {
  return quotas
    .flatMap((quota) => Object.entries(objectAt(quota.spec, 'hard')).map(([resource, hard]) => useOf(quota, resource, hard)))
    .filter((use) => use !== undefined)
    .sort((a, b) => (b.share ?? -1) - (a.share ?? -1) || a.resource.localeCompare(b.resource) || a.quota.localeCompare(b.quota));
}

function useOf(quota: KubeObject, resource: string, limit: unknown): QuotaUse | undefined {
  const hard = parseQuantity(limit);
  const used = parseQuantity(at(quota.status, 'used', resource));
  if (hard === undefined) return undefined;
  const units = unitsOf(resource);
  return {
    quota: quota.metadata.name,
    resource,
    hard: formatQuantity(hard, units),
    ...(used === undefined ? {} : { used: formatQuantity(used, units), share: shareOf(used, hard) }),
    scopes: [...textsAt(quota.spec, 'scopes'), ...listAt(quota.spec, 'scopeSelector', 'matchExpressions').map(scopeOf)],
  };
}

function scopeOf(expression: unknown): string {
  return [textAt(expression, 'scopeName'), textsAt(expression, 'values').join(', ')].filter(Boolean).join(' ');
}

/** Nothing of nothing is all of it: no more is allowed. */
function shareOf(used: bigint, hard: bigint): number {
  return hard === 0n ? 1 : Number((used * 10_000n) / hard) / 10_000;
}

function unitsOf(resource: string): 'binary' | 'decimal' {
  return /(^|\.|\/)(memory|storage|ephemeral-storage)$|hugepages-/.test(resource) ? 'binary' : 'decimal';
}

const RULES = ['default', 'defaultRequest', 'min', 'max', 'maxLimitRequestRatio'] as const;

/** The LimitRanges of a namespace, resource by resource. */
export function limitRules(limitRanges: readonly KubeObject[]): LimitRule[] {
  return limitRanges.flatMap(({ metadata, spec }) =>
    listAt(spec, 'limits').flatMap((limit) => {
      const resources = [...new Set(RULES.flatMap((rule) => Object.keys(objectAt(limit, rule))))].sort();
      return resources.map((resource) => ruleOf(metadata.name, limit, resource));
    }),
  );
}

function ruleOf(limitRange: string, limit: unknown, resource: string): LimitRule {
  const given = RULES.flatMap((rule) => {
    const amount = parseQuantity(at(limit, rule, resource));
    return amount === undefined ? [] : [[rule, formatQuantity(amount, rule === 'maxLimitRequestRatio' ? 'decimal' : unitsOf(resource))]];
  });
  return { limitRange, type: isObject(limit) ? (textAt(limit, 'type') ?? '') : '', resource, ...Object.fromEntries(given) };
}
