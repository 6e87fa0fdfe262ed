import type { FieldFault } from '../../domain/core/errors.ts';
import type { Json, JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { formatPath, type FormPath, parsePath } from '../form-path.ts';
import { BY_NAMES, changeSensitive, type Marked, type PlacedValue, type SensitiveValue, sensitiveValues } from './sensitive-values.ts';

/** The value with a stand-in for every sensitive one: what people and programs are shown. A stand-in stays as it is. */
export function maskValue(marked: Marked, place: PlacedValue): Json {
  return changeSensitive(marked, place, ({ path, value }) => (typeof value === 'string' && hasStandIn(value) ? value : standInFor(path)));
}

const ABOUT_ITSELF = new Set(['apiVersion', 'kind', 'metadata']);

/** All of an object but its metadata, with stand-ins. */
export function maskObject(marked: Marked, object: KubeObject): KubeObject {
  const masked = partsOf(object).map(([key, value]) => [key, maskValue(partOf(marked, key), { value, root: [key] })]);
  return { ...object, ...Object.fromEntries(masked) };
}

interface KnownValues extends Marked {
  readonly found: readonly SensitiveValue[];
}

/** What has been found in objects, which never change: one answer asks several times. */
const known = new WeakMap<object, KnownValues>();

/** The sensitive values of all of an object but its metadata. */
export function sensitiveIn(marked: Marked, object: KubeObject): readonly SensitiveValue[] {
  return foundOnce(marked, object, () =>
    partsOf(object).flatMap(([key, value]) => sensitiveValues(partOf(marked, key), { value, root: [key] })),
  );
}

function foundOnce({ schema, sensitivePaths }: Marked, value: object, find: () => readonly SensitiveValue[]): readonly SensitiveValue[] {
  const before = known.get(value);
  const isSame = before?.schema === schema && before?.sensitivePaths.join() === sensitivePaths.join();
  if (before !== undefined && isSame) return before.found;
  const found = find();
  known.set(value, { schema, sensitivePaths, found });
  return found;
}

/** The values as texts, for `redact`: the same list for the same values. */
export function textsOf(values: readonly SensitiveValue[]): readonly string[] {
  const before = texts.get(values);
  if (before !== undefined) return before;
  const made = values.flatMap(({ value }) => (typeof value === 'boolean' ? [] : [String(value)]));
  texts.set(values, made);
  return made;
}

const texts = new WeakMap<readonly SensitiveValue[], readonly string[]>();

/** What values of a chart, distinguished by their names alone, hold that must not be shown. */
export function sensitiveTexts(values: JsonObject): readonly string[] {
  return textsOf(foundOnce(BY_NAMES, values, () => sensitiveValues(BY_NAMES, { value: values, root: ['values'] })));
}

function partsOf(object: KubeObject): [string, Json][] {
  return Object.entries(object).filter((entry): entry is [string, Json] => !ABOUT_ITSELF.has(entry[0]) && entry[1] !== undefined);
}

function partOf({ schema, sensitivePaths }: Marked, key: string): Marked {
  const properties = (schema as JsonObject | undefined)?.['properties'] as JsonObject | undefined;
  return { schema: properties?.[key], sensitivePaths };
}

/** What was sent, with live values in the place of their stand-ins. */
interface Unmasked {
  readonly value: Json;
  /** Stand-ins that stand for nothing, or where no sensitive value can be. None is ever written. */
  readonly faults: readonly FieldFault[];
}

/**
 * Puts live values into the place of their stand-ins.
 *
 * @param live the object that was shown; undefined where there is none.
 */
export function unmaskValue(marked: Marked, { value, root }: PlacedValue, live: Json | undefined): Unmasked {
  const known = live === undefined ? [] : sensitiveValues(marked, { value: live, root });
  const values = new Map(known.map((one) => [formatPath(one.path), one.value]));
  const places = new Set(sensitiveValues(marked, { value, root }).map(({ path }) => formatPath(path)));
  const faults: FieldFault[] = [];
  const replace = (text: string, path: FormPath): Json => {
    if (!hasStandIn(text)) return text;
    const source = standInPath(text);
    const found = source === undefined ? undefined : values.get(formatPath(source));
    const field = formatPath(path);
    if (source !== undefined && found !== undefined && (places.has(field) || isSameField(source, path))) return found;
    faults.push({ field, message: found === undefined ? NOTHING : ELSEWHERE });
    return text;
  };
  return { value: eachText({ value, path: root }, replace), faults };
}

const NOTHING = 'This placeholder stands for a masked value that does not exist here: enter the value itself';
const ELSEWHERE = 'A masked value cannot be moved into a field that everybody sees: enter the value itself';

/** The same field, in whichever row. */
function isSameField(one: FormPath, other: FormPath): boolean {
  return (
    one.length === other.length &&
    one.every((step, index) => step === other[index] || (typeof step === 'number' && typeof other[index] === 'number'))
  );
}

function eachText(
  { value, path }: { readonly value: Json; readonly path: FormPath },
  replace: (text: string, path: FormPath) => Json,
): Json {
  if (typeof value === 'string') return replace(value, path);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item, row) => eachText({ value: item, path: [...path, row] }, replace));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, member]) => [
      key,
      member === undefined ? member : eachText({ value: member, path: [...path, key] }, replace),
    ]),
  );
}

/** What stands for a value that is not shown, in YAML, in fields and in REST answers; the group is the path of the value in the live object. */
export const STAND_IN = /^<masked: (.{1,2000})>$/s;

/** `<masked: spec.users[0].password>` */
export function standInFor(path: FormPath): string {
  return `<masked: ${formatPath(path)}>`;
}

/** The path of the value that a text stands for; undefined when it stands for none. */
export function standInPath(text: string): FormPath | undefined {
  const path = STAND_IN.exec(text)?.[1];
  return path === undefined ? undefined : parsePath(path);
}

/** Whether a text stands for a value, or was made of one that does. */
export function hasStandIn(text: string): boolean {
  return text.includes('<masked: ');
}
