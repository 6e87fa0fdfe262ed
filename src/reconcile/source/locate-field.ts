import { isAlias, isMap, isPair, isScalar, isSeq, type Pair } from 'yaml';

/**
 * The offset in the text of a field of a YAML node, or of the nearest part of it that is there. Reads the paths of the api-server:
 * `spec.users[0].name`, `.spec.kinds[kind="Cache"].fields`. Keys may hold dots; the longest key that fits wins.
 */
export function locateField(root: unknown, field: string): number | undefined {
  let offset = offsetOf(root);
  let node = root;
  let rest = field.replace(/^\./, '');
  while (rest !== '') {
    const step = stepInto(node, rest);
    if (step === undefined) return offset;
    ({ offset, node, rest } = step);
  }
  return offset;
}

interface Step {
  readonly offset: number | undefined;
  readonly node: unknown;
  readonly rest: string;
}

function stepInto(node: unknown, rest: string): Step | undefined {
  if (isMap(node)) return stepIntoMap(node.items, rest);
  if (isSeq(node)) return stepIntoSequence(node.items, rest);
  return undefined;
}

function stepIntoMap(items: readonly unknown[], rest: string): Step | undefined {
  const bracketed = /^\[([^\]]+)\]/.exec(rest);
  const pairs = items.filter((item): item is Pair => isPair(item));
  const fits = pairs
    .map((pair) => ({ pair, key: keyOf(pair) }))
    .filter(({ key }) => key !== '' && (bracketed?.[1] === key || (rest.startsWith(key) && /^([.[]|$)/.test(rest.slice(key.length)))))
    .sort((a, b) => b.key.length - a.key.length);
  const [best] = fits;
  if (best === undefined) return undefined;
  const used = bracketed?.[1] === best.key ? bracketed[0].length : best.key.length;
  return { offset: offsetOf(best.pair.key), node: best.pair.value, rest: rest.slice(used).replace(/^\./, '') };
}

function stepIntoSequence(items: readonly unknown[], rest: string): Step | undefined {
  const bracket = /^\[([^\]]*)\]\.?/.exec(rest);
  if (bracket === null) return undefined;
  const [all, inside = ''] = bracket;
  const found = /^\d+$/.test(inside) ? items[Number(inside)] : items.find((item) => matches(item, inside));
  return found === undefined ? undefined : { offset: offsetOf(found), node: found, rest: rest.slice(all.length) };
}

/** Whether a list's item is the one that `kind="Cache",name="x"`, or `="Cache"` for a set, is about. */
function matches(item: unknown, selector: string): boolean {
  const pairs = [...selector.matchAll(/([^=,]*)="([^"]*)"/g)];
  return (
    pairs.length > 0 &&
    pairs.every(([, key = '', value]) => textOf(key === '' ? item : isMap(item) ? item.get(key, true) : undefined) === value)
  );
}

function keyOf(pair: Pair): string {
  return textOf(pair.key) ?? '';
}

function textOf(node: unknown): string | undefined {
  return isScalar(node) ? String(node.value) : undefined;
}

function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}
