import type { Place, PlaceNode } from './place-node.ts';

const BEGINNING: Place = { line: 1, column: 1 };

/**
 * The place of a field of a YAML node, or of the nearest part of it that is there. Reads the paths of the api-server:
 * `spec.users[0].name`, `.spec.kinds[kind="Cache"].fields`. Keys may hold dots; the longest key that fits wins.
 */
export function locateField(root: PlaceNode, field: string): Place {
  let place = root.place;
  let node = root;
  let rest = field.replace(/^\./, '');
  while (rest !== '') {
    const step = stepInto(node, rest);
    if (step === undefined) break;
    place = step.place ?? place;
    ({ node, rest } = step);
  }
  return place ?? BEGINNING;
}

interface Step {
  readonly place: Place | undefined;
  readonly node: PlaceNode;
  readonly rest: string;
}

function stepInto({ pairs, items }: PlaceNode, rest: string): Step | undefined {
  if (pairs !== undefined) return stepIntoMap(pairs, rest);
  return items === undefined ? undefined : stepIntoSequence(items, rest);
}

function stepIntoMap(pairs: NonNullable<PlaceNode['pairs']>, rest: string): Step | undefined {
  const bracketed = /^\[([^\]]+)\]/.exec(rest);
  const [best] = pairs
    .filter(({ key }) => key !== '' && (bracketed?.[1] === key || (rest.startsWith(key) && /^([.[]|$)/.test(rest.slice(key.length)))))
    .toSorted((a, b) => b.key.length - a.key.length);
  if (best === undefined) return undefined;
  const used = bracketed?.[1] === best.key ? bracketed[0].length : best.key.length;
  return { place: best.place, node: best.value, rest: rest.slice(used).replace(/^\./, '') };
}

function stepIntoSequence(items: readonly PlaceNode[], rest: string): Step | undefined {
  const bracket = /^\[([^\]]*)\]\.?/.exec(rest);
  if (bracket === null) return undefined;
  const [all, inside = ''] = bracket;
  const found = /^\d+$/.test(inside) ? items[Number(inside)] : items.find((item) => matches(item, inside));
  return found === undefined ? undefined : { place: found.place, node: found, rest: rest.slice(all.length) };
}

/** Whether a list's item is the one that `kind="Cache",name="x"`, or `="Cache"` for a set, is about. */
function matches(item: PlaceNode, selector: string): boolean {
  const pairs = [...selector.matchAll(/([^=,]*)="([^"]*)"/g)];
  const textAt = (key: string): string | undefined => (key === '' ? item.text : item.pairs?.find((pair) => pair.key === key)?.value.text);
  return pairs.length > 0 && pairs.every(([, key = '', value]) => textAt(key) === value);
}
