import type { CatalogEntry } from '../domain/catalog/app-catalog.ts';
import { schemaOf } from '../domain/catalog/app-catalog.ts';
import { at, textsAt } from '../domain/read.ts';
import type { JsonObject } from '../domain/resource.ts';
import { layValues } from '../domain/values/locks.ts';
import { layOwnValues } from '../domain/values/own-values.ts';
import { SECRET_VALUE, type ValueChange, type ValueLayer } from '../domain/values/value-change.ts';
import { specSchema } from '../schema/app-form.ts';
import { differencesBetween, type Described, type Difference } from '../schema/differences.ts';
import { rememberForm } from '../schema/remember-form.ts';

/** What a new instance gets beneath the values of a person, each laid out like `spec`. */
export interface LowerValues {
  readonly operator: JsonObject;
  readonly environment: JsonObject;
}

/** What is compared of a new instance. */
export interface NewInstanceValues extends LowerValues {
  readonly own: JsonObject;
}

/**
 * What a new instance has that its schema would not give it. What a person sets is compared with what they would get without it, so that the layers
 * below show through. Sorted by path.
 */
export function changesOfNew(entry: CatalogEntry, { operator, environment, own }: NewInstanceValues): ValueChange[] {
  const described = describe(entry);
  const lower = layValues(operator, environment);
  const all = differencesBetween(described, lower, layOwnValues(lower, own, described.schema));
  const mine = all.filter(({ keys, to }) => to === undefined || at(own, ...keys) !== undefined);
  const theirs = differencesBetween(described, {}, lower).filter(({ path }) => !mine.some((one) => overlaps(one.path, path)));
  const layerBelow = ({ keys }: Difference): ValueLayer => (at(environment, ...keys) === undefined ? 'operator' : 'environment');
  return sorted([...mine.map((one) => changeOf(one, 'you')), ...theirs.map((one) => changeOf(one, layerBelow(one)))]);
}

/** What a change does to the values of an instance. Sorted by path. */
export function changesOfLive(entry: CatalogEntry, live: JsonObject, wanted: JsonObject): ValueChange[] {
  const layerOf = ({ keys, to }: Difference): ValueLayer => (to !== undefined && at(wanted, ...keys) === undefined ? 'schema' : 'you');
  return sorted(differencesBetween(describe(entry), live, wanted).map((one) => changeOf(one, layerOf(one))));
}

function describe({ crd, summary, kindBlock }: CatalogEntry): Described {
  const schema = specSchema({ schema: schemaOf(crd, summary.version) });
  return { schema, root: rememberForm({ schema, root: 'spec', curated: [], mode: 'create' }).root, marks: textsAt(kindBlock, 'sensitive') };
}

function overlaps(one: string, other: string): boolean {
  return one === other || isBelow(one, other) || isBelow(other, one);
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
}

function changeOf({ path, from, to, secret }: Difference, layer: ValueLayer): ValueChange {
  return {
    path,
    ...(from === undefined ? {} : { from: secret ? SECRET_VALUE : from }),
    ...(to === undefined ? {} : { to: secret ? SECRET_VALUE : to }),
    layer,
    secret,
  };
}

function sorted(changes: readonly ValueChange[]): ValueChange[] {
  return changes.toSorted((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
}
