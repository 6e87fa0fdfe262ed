import { memberSchema } from '../../domain/upgrade/crd-safety/schema-shape.ts';
import { validateValue } from '../../domain/upgrade/crd-safety/validate-value.ts';
import { isObject, objectAt, textAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';

interface Member {
  /** The schemas of the parent, before and after. */
  readonly from: unknown;
  readonly to: unknown;
  readonly parent: JsonObject;
  readonly key: string;
}

/** How much of the words two members must share: of their names, or, nearly all, of their descriptions. */
const ALIKE_NAMES = 0.5;
const ALIKE_WORDS = 0.7;

/**
 * The new members of a group that a removed one may have become: they are not set, take its value, and are called or described alike. Best first, none
 * when nothing looks like it.
 */
export function renamedTo({ from, to, parent, key }: Member): readonly string[] {
  const before = objectAt(from, 'properties');
  const gone = memberSchema(from, key);
  const added = Object.entries(objectAt(to, 'properties')).filter(
    ([name, schema]) => !Object.hasOwn(before, name) && isFree(schema, parent, name),
  );
  return added
    .filter(([, schema]) => validateValue(schema, parent[key]).length === 0)
    .map(([name, schema]) => ({ name, names: alike(wordsOf(key), wordsOf(name)), words: alike(helpOf(gone), helpOf(schema)) }))
    .filter(({ names, words }) => names >= ALIKE_NAMES || words >= ALIKE_WORDS)
    .toSorted((a, b) => b.names + b.words - (a.names + a.words) || a.name.localeCompare(b.name))
    .map(({ name }) => name);
}

/** A map that is empty is nothing that could be lost. */
function isFree(schema: unknown, parent: JsonObject, name: string): boolean {
  const value = Object.hasOwn(parent, name) ? parent[name] : undefined;
  return value === undefined || (textAt(schema, 'type') === 'object' && isObject(value) && Object.keys(value).length === 0);
}

function helpOf(schema: unknown): ReadonlySet<string> {
  return wordsOf((textAt(schema, 'description') ?? '').slice(0, 1000));
}

/** `storageClassName` has the words storage, class and name; plurals count as their singular. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z0-9]+/);
  return new Set(words.filter((word) => word !== '').map((word) => word.toLowerCase().replace(/s$/, '')));
}

/** The share of words that both have among those of the shorter one; the longer one may say more, up to three times as much. */
function alike(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [small, large] = [Math.min(one.size, other.size), Math.max(one.size, other.size)];
  if (small === 0 || large > small * 3) return 0;
  return [...one].filter((word) => other.has(word)).length / small;
}
