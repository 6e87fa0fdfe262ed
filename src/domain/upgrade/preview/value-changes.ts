import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../../core/exact-json.ts';
import { redact } from '../../core/secret.ts';
import { effectiveLeaves, type ValuesLayer } from '../../values/layers.ts';
import type { PreviewedValue } from './upgrade-preview.ts';

/** Values by layers, the lowest first. */
export interface LayeredValues {
  readonly layers: readonly ValuesLayer[];
  /** The origins whose values nobody is shown. */
  readonly hidden: ReadonlySet<string>;
  /** What must not be shown wherever it stands. */
  readonly secrets: readonly string[];
}

const MAX_ITEMS = 400;
const MAX_LENGTH = 200;

/**
 * How the effective values differ between two charts: every leaf with the layer that sets it, what changes first. Of what comes from a Secret only
 * the layer is reported, and that it changes.
 */
export function valueChanges(from: LayeredValues | undefined, to: LayeredValues): { items: PreviewedValue[]; omitted: number } {
  const [before, after] = [from === undefined ? new Map<string, Leaf>() : leavesOf(from), leavesOf(to)];
  const secrets = [...(from?.secrets ?? []), ...to.secrets];
  const changes = [...new Set([...before.keys(), ...after.keys()])].map((path): Change => {
    const sides = { before: before.get(path), after: after.get(path) };
    return { path, ...sides, change: changeOf(sides.before, sides.after) };
  });
  const rank = ({ change }: Change): number => (change === 'same' ? 1 : 0);
  changes.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
  const items = changes.slice(0, MAX_ITEMS).map((change) => shown(change, secrets));
  return { items, omitted: Math.max(0, changes.length - MAX_ITEMS) };
}

interface Leaf {
  readonly origin: string;
  readonly value: unknown;
  readonly hidden: boolean;
}

function leavesOf({ layers, hidden }: LayeredValues): Map<string, Leaf> {
  return new Map(effectiveLeaves(layers).map(({ path, ...leaf }) => [path, { ...leaf, hidden: hidden.has(leaf.origin) }]));
}

/** The names of a path as `provenanceOf` writes it. */
export function namesOf(path: string): string[] {
  return [...path.matchAll(/\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : String(JSON.parse(quoted)),
  );
}

interface Change {
  readonly path: string;
  readonly before: Leaf | undefined;
  readonly after: Leaf | undefined;
  readonly change: PreviewedValue['change'];
}

function shown({ path, before, after, change }: Change, secrets: readonly string[]): PreviewedValue {
  const text = (leaf: Leaf | undefined): string | undefined => {
    if (leaf === undefined || leaf.hidden) return undefined;
    const whole = redact(stringifyJson(leaf.value) ?? 'null', secrets);
    return whole.length > MAX_LENGTH ? `${whole.slice(0, MAX_LENGTH)}…` : whole;
  };
  const [from, to] = [text(before), text(after)];
  return {
    path: redact(path, secrets),
    origin: after?.origin ?? before?.origin ?? '',
    change,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    secret: (after ?? before)?.hidden === true,
  };
}

function changeOf(before: Leaf | undefined, after: Leaf | undefined): PreviewedValue['change'] {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  return before.value === after.value || isDeepStrictEqual(before.value, after.value) ? 'same' : 'changed';
}
