import { type CatalogEntry, schemaOf } from '../../domain/catalog/app-catalog.ts';
import { at } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { layValues } from '../../domain/values/locks.ts';
import { layOwnValues } from '../../domain/values/own-values.ts';
import { SECRET_VALUE, type ValueChange, type ValueLayer } from '../../domain/values/value-change.ts';
import { formRoot } from '../../form/model/app-form.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { differencesBetween, type Described, type Difference } from '../../form/model/differences.ts';
import { cacheForm } from '../../form/model/cache-form.ts';

/** `users[2]` before `users[10]`. */
const BY_PATH = new Intl.Collator('en', { numeric: true });

/** What a new instance gets beneath the values of a person, each laid out like the resource. */
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
  const theirs = withoutOverlaps(differencesBetween(described, {}, lower), mine);
  const layerBelow = ({ keys }: Difference): ValueLayer => (at(environment, ...keys) === undefined ? 'operator' : 'environment');
  return sorted([...mine.map((one) => changeOf(one, 'you')), ...theirs.map((one) => changeOf(one, layerBelow(one)))]);
}

/** What a change does to the values of an instance. Sorted by path. */
export function changesOfLive(entry: CatalogEntry, live: JsonObject, wanted: JsonObject): ValueChange[] {
  const layerOf = ({ keys, to }: Difference): ValueLayer => (to !== undefined && at(wanted, ...keys) === undefined ? 'schema' : 'you');
  return sorted(differencesBetween(describe(entry), live, wanted).map((one) => changeOf(one, layerOf(one))));
}

/** What differs between two contents of one schema, all of it by the person. Sorted by path. */
export function changesOfContent(schema: JsonObject, from: JsonObject, to: JsonObject): ValueChange[] {
  const { root } = cacheForm({ schema, root: '', hoisted: 'spec', curated: [], mode: 'create' });
  return sorted(differencesBetween({ schema, root }, from, to).map((one) => changeOf(one, 'you')));
}

function describe({ crd, summary, kindBlock }: CatalogEntry): Described {
  const whole = schemaOf(crd, summary.version);
  const schema = contentSchema(whole);
  const { root } = cacheForm({ schema, ...formRoot(whole), curated: [], mode: 'create' });
  return { schema, root, sensitivePaths: kindBlock.sensitive };
}

/** Those that none of the others is at, above or below. */
function withoutOverlaps(differences: readonly Difference[], others: readonly Difference[]): readonly Difference[] {
  if (differences.length === 0) return [];
  const paths = others.map(({ path }) => path).toSorted();
  const known = new Set(paths);
  const hasBelow = (path: string): boolean => ['.', '['].some((sign) => firstFrom(paths, path + sign)?.startsWith(path + sign) === true);
  const isBelow = (path: string): boolean => [...path.matchAll(/[.[]/g)].some(({ index }) => known.has(path.slice(0, index)));
  return differences.filter(({ path }) => !known.has(path) && !hasBelow(path) && !isBelow(path));
}

/** The first of sorted texts that does not stand before a text. */
function firstFrom(texts: readonly string[], text: string): string | undefined {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((texts[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return texts[low];
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
  return changes.toSorted((a, b) => BY_PATH.compare(a.path, b.path));
}
