import { listInShort } from '../core/name-words.ts';
import { parseInstanceStatus } from '../app-instance/instance.ts';
import { type ConditionInput, conditionsOf, findCondition } from '../kubernetes/condition.ts';
import { type KubeObject, oldestFirst } from '../kubernetes/resource.ts';
import { parseAppDefinition, parseAppDefinitionStatus } from './app-definition.ts';
import type { AppDefinitionFields, AppDefinitionStatus } from './app-definition-kind.ts';

export type Limits = AppDefinitionFields['limits'];
export type Admission = NonNullable<AppDefinitionStatus['limits']>;

/** Rejected instances that a status holds. More of them wait without a reason in the status. */
const MAX_REJECTED = 500;
const NAMED = 10;

export function hasLimits({ maxInstances, perEnvironment }: Limits): boolean {
  return maxInstances !== undefined || perEnvironment !== undefined;
}

/**
 * Which instances may be released: those that are released already or were admitted before, then the oldest, as many as the limits let in. One controller decides it for
 * all instances of a definition, from a list of them all, so that two that are created at once do not both take the last place. Pure.
 */
export function admit(limits: Limits, instances: readonly KubeObject[], before: readonly string[] = []): Admission {
  const known = new Set(before);
  const isIn = (instance: KubeObject): boolean => known.has(uidOf(instance)) || parseInstanceStatus(instance).managedRevision !== undefined;
  const { maxInstances = Infinity, perEnvironment = Infinity } = limits;
  const admitted: KubeObject[] = instances.filter(isIn);
  const places = new Map([...Map.groupBy(admitted, placeOf)].map(([place, own]) => [place, own.length]));
  const rejected: KubeObject[] = [];
  for (const instance of instances.filter((one) => !isIn(one)).sort(oldestFirst)) {
    const there = places.get(placeOf(instance)) ?? 0;
    if (admitted.length >= maxInstances || there >= perEnvironment) rejected.push(instance);
    else {
      admitted.push(instance);
      places.set(placeOf(instance), there + 1);
    }
  }
  return { admitted: admitted.map(uidOf).sort(), rejected: rejected.map(uidOf).slice(0, MAX_REJECTED) };
}

/** The condition `WithinLimits`. */
export function limitsCondition(limits: Limits, instances: readonly KubeObject[], { rejected }: Admission): ConditionInput {
  const type = 'WithinLimits';
  const limit = limitSentence(limits);
  if (rejected.length === 0) return { type, status: 'True', reason: 'WithinLimits', message: limit };
  const names = instances.filter((one) => rejected.includes(uidOf(one))).map(({ metadata }) => `${placeOf({ metadata })}/${metadata.name}`);
  const message = `${limit}. Not installed: ${listInShort(names, NAMED)}. Delete instances, or raise spec.limits`;
  return { type, status: 'False', reason: 'LimitExceeded', message };
}

/** `At most 3 instances, 1 in each environment`. */
export function limitSentence({ maxInstances, perEnvironment }: Partial<Limits>): string {
  const all = maxInstances === undefined ? '' : `${maxInstances} ${maxInstances === 1 ? 'instance' : 'instances'}`;
  if (perEnvironment === undefined) return `At most ${all}`;
  const each = `${perEnvironment} ${perEnvironment === 1 ? 'instance' : 'instances'} in each environment`;
  return all === '' ? `At most ${each}` : `At most ${all}, and ${each}`;
}

/** The limits for each Environment, as the api-server enforces them. */
export interface CountQuota {
  /** The hard limits of a ResourceQuota. */
  readonly hard: Readonly<Record<string, number>>;
  /** Whether some kinds are too new. */
  readonly pending: boolean;
}

/** kube-controller-manager looks for new kinds twice a minute. A quota on one that it cannot count yet rejects everything for minutes, so that its own limit waits. */
const COUNTABLE_AFTER_MS = 45_000;

/** @param now milliseconds since the epoch. */
export function countQuota(definitions: readonly KubeObject[], crds: readonly KubeObject[], now: number): CountQuota {
  const names = new Map(crds.map((crd) => [crd.metadata.name, crd]));
  const limited = definitions.flatMap((definition) => {
    const { perEnvironment } = parseAppDefinition(definition).limits;
    const crd = names.get(parseAppDefinitionStatus(definition).crd ?? '');
    const established = crd && findCondition(conditionsOf(crd), 'Established');
    if (perEnvironment === undefined || crd === undefined || established?.status !== 'True') return [];
    const isCountable = now - Date.parse(established.lastTransitionTime) > COUNTABLE_AFTER_MS;
    return [{ key: `count/${crd.metadata.name}`, perEnvironment, isCountable }];
  });
  const countable = limited.filter(({ isCountable }) => isCountable).sort((a, b) => a.key.localeCompare(b.key));
  return {
    hard: Object.fromEntries(countable.map(({ key, perEnvironment }) => [key, perEnvironment])),
    pending: countable.length < limited.length,
  };
}

function uidOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.uid ?? '';
}

function placeOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.namespace ?? '';
}
