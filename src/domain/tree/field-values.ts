import { at } from '../core/read.ts';

/** A value of a foreign object, where it stands, and the value that it stands in. */
export interface FieldValue {
  readonly value: unknown;
  /** `spec.volumes[2].configMap.name`. */
  readonly path: string;
  readonly within: unknown;
}

/** Nobody reads more of one field; hostile objects may have lists of any length. */
const MOST_VALUES = 500;

/**
 * The values that a path leads to, absent ones left out.
 *
 * @param path `spec.volumes[].configMap.name`, where `[]` stands for every item of a list; `metadata.labels["a.b/c"]` for a key with dots.
 */
export function valuesAt(object: unknown, path: string): readonly FieldValue[] {
  let found: readonly FieldValue[] = [{ value: object, path: '', within: undefined }];
  for (const step of stepsOf(path)) {
    found = found.flatMap((field) => next(field, step)).slice(0, MOST_VALUES);
    if (found.length === 0) break;
  }
  return found;
}

const STEP = /\[\]|\["(?<quoted>[^"]+)"\]|(?<plain>[^.[\]]+)/g;
const parsed = new Map<string, readonly string[]>();

/** The paths are those of the table of relations, so that none is parsed twice and few are kept. */
function stepsOf(path: string): readonly string[] {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const steps = [...path.matchAll(STEP)].map(({ groups, 0: text }) => groups?.['quoted'] ?? groups?.['plain'] ?? text);
  parsed.set(path, steps);
  return steps;
}

function next({ value, path }: FieldValue, step: string): FieldValue[] {
  if (step === '[]') {
    if (!Array.isArray(value)) return [];
    return value.slice(0, MOST_VALUES).map((item: unknown, index) => ({ value: item, path: `${path}[${index}]`, within: value }));
  }
  const member = Array.isArray(value) ? undefined : at(value, step);
  return member === undefined || member === null ? [] : [{ value: member, path: joined(path, step), within: value }];
}

function joined(path: string, step: string): string {
  if (/[./]/.test(step)) return `${path}["${step}"]`;
  return path === '' ? step : `${path}.${step}`;
}
