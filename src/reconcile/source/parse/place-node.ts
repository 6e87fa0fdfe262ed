import { isAlias, isMap, isPair, isScalar, isSeq, type LineCounter } from 'yaml';

/** A place in a file, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where the parts of a YAML value stand, without the value: plain data that another thread can send. */
export interface PlaceNode {
  readonly place?: Place;
  /** The text of a scalar. */
  readonly text?: string;
  readonly pairs?: readonly PlacePair[];
  readonly items?: readonly PlaceNode[];
}

export interface PlacePair {
  readonly key: string;
  /** Of the key. */
  readonly place?: Place;
  readonly value: PlaceNode;
}

/** Texts that select a row of a list are names; longer ones need not be sent. */
const LONGEST_TEXT = 300;

/** The places within a YAML node. What an alias stands for is where its anchor is, so nothing is below it. */
export function placesIn(node: unknown, lines: LineCounter): PlaceNode {
  const place = placeOf(node, lines);
  const at = place === undefined ? {} : { place };
  if (isScalar(node)) return { ...at, text: String(node.value).slice(0, LONGEST_TEXT) };
  if (isSeq(node)) return { ...at, items: node.items.map((item) => placesIn(item, lines)) };
  if (!isMap(node)) return at;
  const pairs = node.items.filter((item) => isPair(item));
  return {
    ...at,
    pairs: pairs.map((pair): PlacePair => {
      const key = placeOf(pair.key, lines);
      return {
        key: isScalar(pair.key) ? String(pair.key.value) : '',
        ...(key === undefined ? {} : { place: key }),
        value: placesIn(pair.value, lines),
      };
    }),
  };
}

function placeOf(node: unknown, lines: LineCounter): Place | undefined {
  const offset = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
  if (offset === undefined) return undefined;
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}
