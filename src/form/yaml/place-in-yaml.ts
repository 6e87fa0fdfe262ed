import { isMap, isNode, isScalar, isSeq, LineCounter, type YAMLMap } from 'yaml';
import { editableYaml } from '../../domain/core/bounded-yaml.ts';
import { restAfterKey, restAfterRow } from '../../schema/form-path.ts';

/** Counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Reads a YAML text once, and tells then where it says what a path is about, `.users[0].name` as faults of the api-server have it. A member that is not
 * there is looked for at what should hold it. Undefined when the text cannot be read or has nothing of the path.
 */
export function placesInYaml(text: string): (path: string) => Place | undefined {
  const lines = new LineCounter();
  const { contents } = editableYaml(text, { lineCounter: lines });
  return (path) => placeIn(contents, lines, path);
}

function placeIn(contents: unknown, lines: LineCounter, path: string): Place | undefined {
  let node = contents;
  let offset: number | undefined;
  let rest = path;
  while (rest !== '') {
    const next: Step | undefined = isMap(node) ? intoMap(node, rest) : isSeq(node) ? intoRow(node.items, rest) : undefined;
    if (next === undefined) break;
    ({ node, rest } = next);
    offset = next.offset ?? offset;
  }
  if (offset === undefined) return undefined;
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

interface Step {
  readonly node: unknown;
  readonly rest: string;
  readonly offset: number | undefined;
}

/** By the longest key that fits. */
function intoMap(map: YAMLMap, rest: string): Step | undefined {
  const fitting = map.items.flatMap(({ key, value }) => {
    const text = keyText(key);
    const left = restAfterKey(rest, text);
    return left === undefined ? [] : [{ node: value, rest: left, offset: isNode(key) ? key.range?.[0] : undefined, size: text.length }];
  });
  return fitting.toSorted((a, b) => b.size - a.size)[0];
}

function intoRow(items: readonly unknown[], path: string): Step | undefined {
  const found = restAfterRow(path);
  const node = found === undefined ? undefined : items[found.row];
  return found === undefined || !isNode(node) ? undefined : { node, rest: found.rest, offset: node.range?.[0] };
}

/** A key of a YAML document as JSON has it. */
export function keyText(key: unknown): string {
  const value: unknown = isScalar(key) ? key.value : key;
  return isKey(value) ? value.toString() : '';
}

function isKey(value: unknown): value is string | number | bigint | boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}
