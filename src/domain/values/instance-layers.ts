import { ownerOf } from '../app/app.ts';
import { at, isObject } from '../core/read.ts';
import type { EnvironmentView } from '../environment/environment.ts';
import { contentOf } from '../instance/instance-content.ts';
import type { JsonObject } from '../kubernetes/resource.ts';
import { brokenLocks, layValues, locksOf, withoutLocked, type Lock } from './locks.ts';

/** What lies beneath the values of a person for one App in one environment, and what of it they may not change. */
export interface InstanceLayers {
  /** Each laid out like the resource; see `contentOf`. */
  readonly lower: { readonly operator: JsonObject; readonly environment: JsonObject };
  readonly locks: readonly Lock[];
}

/** What an App says about the values of its instances. */
export interface LayeredApp {
  readonly id: string;
  readonly operator?: { readonly namespace: string; readonly name: string };
  readonly definition?: string;
  /** Laid out like the resource. */
  readonly defaults: JsonObject;
  readonly locked: readonly string[];
}

/** The environment lies over the Operator, but for what the Operator has locked. */
export function instanceLayers(app: LayeredApp, environment?: Pick<EnvironmentView, 'name' | 'overlay'>): InstanceLayers {
  const overlay = environment?.overlay.find((one) => one.app === app.id);
  const owner = ownerOf(app);
  const locks = locksOf([
    { layer: 'operator', by: `the ${owner.kind} ${owner.name}`, locked: app.locked },
    { layer: 'environment', by: `the environment ${environment?.name ?? ''}`, locked: overlay?.locked ?? [] },
  ]);
  const ofOperator = locks.filter(({ layer }) => layer === 'operator');
  return { lower: { operator: contentOf(app.defaults), environment: withoutLocked(contentOf(overlay?.values), ofOperator) }, locks };
}

/** The values of the release in what is laid out like an instance of an AppDefinition. */
export function valuesOfRelease(laidOut: JsonObject): JsonObject {
  const values = at(laidOut, 'spec', 'values');
  return isObject(values) ? (values as JsonObject) : {};
}

/** The values that a person gives for a release, without what is locked. */
export function unlockedValues(given: JsonObject, { locks }: Pick<InstanceLayers, 'locks'>): JsonObject {
  return valuesOfRelease(withoutLocked({ spec: { values: given } }, locks));
}

/** The values that a person gives for a release without effect, as something else is locked there: `spec.values.tier is locked by the environment shop`. */
export function ignoredValues(given: JsonObject, layers: InstanceLayers): readonly string[] {
  const wanted = { spec: { values: given } };
  const broken = brokenLocks(layers.locks, { wanted, lower: lowerOf(layers) });
  return broken.filter(({ names }) => at(wanted, ...names) !== undefined).map(({ names, by }) => `${names.join('.')} is locked by ${by}`);
}

/** All that lies beneath a person's own values, as one. */
export function lowerOf({ lower }: Pick<InstanceLayers, 'lower'>): JsonObject {
  return layValues(lower.operator, lower.environment);
}
