import { AppError } from '../core/errors.ts';
import { isObject } from '../core/read.ts';
import type { JsonObject } from '../kubernetes/resource.ts';
import type { CelRule, StructuralSchema } from './structural-schema.ts';
import type { Condition } from '../kubernetes/condition.ts';

/** Whether a field has to be given, may be absent from what is read, or reads as something when it is absent. */
type Presence = 'required' | 'optional' | 'present';

/** A field of a kind of ours: its schema in the CRD and the reader of its values. */
export interface Field<T, P extends Presence = Presence> {
  readonly schema: StructuralSchema;
  readonly presence: P;
  /**
   * The value as the rest of the code has it, undefined when it is absent or foreign. What is foreign is left out rather than an error: the api-server has let
   * the object in, and a CRD that somebody has changed must not stop the work on all objects of the kind.
   */
  readonly read: (value: unknown) => T | undefined;
}

/** What a field reads as. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

type Fields = Readonly<Record<string, Field<unknown>>>;
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K]['presence'] extends 'optional' ? K : never }[keyof F];
type ObjectOf<F extends Fields> = Readonly<
  { [K in Exclude<keyof F, OptionalKeys<F>>]: ValueOf<F[K]> } & { [K in OptionalKeys<F>]?: ValueOf<F[K]> }
>;
/** With a default a field is always there. */
type PresenceOf<O> = O extends { readonly default: unknown } ? 'present' : 'required';

interface Described {
  /** A sentence for `kubectl explain`, the forms and the docs. */
  readonly description?: string;
  readonly rules?: readonly CelRule[];
}

interface TextOptions extends Described {
  readonly default?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: 'date-time';
}

const MILLISECONDS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

export function text<const O extends TextOptions>(options: O): Field<string, PresenceOf<O>> {
  return field(schemaOf('string', options), (value) => (typeof value === 'string' ? value : undefined));
}

/** RFC 3339. */
export function time(options: Described): Field<string, 'required'> {
  return text({ ...options, format: 'date-time' });
}

/** One of a closed set of texts. */
export function choice<const C extends readonly string[], const O extends Described & { readonly default?: C[number] }>(
  choices: C,
  options: O,
): Field<C[number], PresenceOf<O>> {
  return field({ ...schemaOf('string', options), enum: choices }, (value) => choices.find((one) => one === value));
}

export function flag<const O extends Described & { readonly default?: boolean }>(options: O): Field<boolean, PresenceOf<O>> {
  return field(schemaOf('boolean', options), (value) => (typeof value === 'boolean' ? value : undefined));
}

interface IntegerOptions extends Described {
  readonly default?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: 'int64';
}

export function integer<const O extends IntegerOptions>(options: O): Field<number, PresenceOf<O>> {
  return field(schemaOf('integer', options), (value) => (typeof value === 'number' ? value : undefined));
}

/** `metadata.generation` as a status repeats it. */
export function generation(options: Described): Field<number, 'required'> {
  return integer({ ...options, format: 'int64' });
}

/** A number with or without a fraction. */
export function number(options: Described): Field<number, 'required'> {
  return field(schemaOf('number', options), (value) => (typeof value === 'number' ? value : undefined));
}

interface DurationOptions extends Described {
  /** What the messages of the bounds call it. */
  readonly name: string;
  readonly from: string;
  readonly to?: string;
  readonly default?: string;
}

/**
 * A duration such as `1h30m`, read as milliseconds.
 *
 * @throws AppError `InvalidInput` on reading anything else: a bound that cannot be read must not become none.
 */
export function duration<const O extends DurationOptions>({ name, from, to, ...options }: O): Field<number, PresenceOf<O>> {
  const rule =
    to === undefined
      ? { rule: `duration(self) >= duration('${from}')`, message: `${name} must be at least ${from}` }
      : {
          rule: `duration(self) >= duration('${from}') && duration(self) <= duration('${to}')`,
          message: `${name} must be from ${from} to ${to}`,
        };
  const schema = { ...schemaOf('string', { ...(options as Described), rules: [rule] }), maxLength: 32, pattern: '^([0-9]+(s|m|h))+$' };
  return field(schema, (value) => (typeof value === 'string' ? parseDuration(value) : undefined));
}

/** A quantity of Kubernetes, e.g. `500m`, `16Gi` or 4. */
export function quantity(): Field<string | number, 'required'> {
  const schema: StructuralSchema = {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: QUANTITY,
  };
  return field(schema, (value) => (typeof value === 'string' || typeof value === 'number' ? value : undefined));
}

const QUANTITY = '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** A foreign object, kept as it is: values of a chart, a part of an instance. */
export function foreign(options: Described): Field<JsonObject, 'required'> {
  const schema = { ...schemaOf('object', options), 'x-kubernetes-preserve-unknown-fields': true as const };
  return field(schema, (value) => (isObject(value) ? (value as JsonObject) : undefined));
}

interface ListOptions extends Described {
  readonly minItems?: number;
  readonly maxItems?: number;
  /** How server-side apply merges it. A text is the name of the member that tells items apart. */
  readonly merge?: 'atomic' | 'set' | { readonly by: string };
}

export function list<T>(item: Field<T, 'required'>, { merge, ...options }: ListOptions): Field<readonly T[], 'required'> {
  const markers =
    typeof merge === 'object'
      ? { 'x-kubernetes-list-type': 'map' as const, 'x-kubernetes-list-map-keys': [merge.by] }
      : merge && { 'x-kubernetes-list-type': merge };
  return field({ ...schemaOf('array', options), ...markers, items: item.schema }, (value) =>
    Array.isArray(value) ? value.flatMap((each) => item.read(each) ?? []) : undefined,
  );
}

interface MapOptions extends Described {
  readonly maxProperties?: number;
}

export function map<T>(member: Field<T, 'required'>, options: MapOptions): Field<Readonly<Record<string, T>>, 'required'> {
  return field({ ...schemaOf('object', options), additionalProperties: member.schema }, (value) => {
    if (!isObject(value)) return undefined;
    const members = Object.entries(value).map(([name, each]) => [name, member.read(each)] as const);
    return Object.fromEntries(members.filter((entry): entry is [string, T & {}] => entry[1] !== undefined));
  });
}

/** An object of known members. Without one that it must have it is foreign as a whole. */
export function object<const F extends Fields, const O extends Described & { readonly default?: JsonObject }>(
  members: F,
  options: O,
): Field<ObjectOf<F>, PresenceOf<O>> {
  const entries = Object.entries(members);
  const required = entries.filter(([, { presence }]) => presence === 'required').map(([name]) => name);
  const schema = {
    ...schemaOf('object', options),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(entries.map(([name, member]) => [name, member.schema])),
  };
  return field(schema, (value) => {
    if (!isObject(value)) return undefined;
    const found: Record<string, unknown> = {};
    for (const [name, { presence, read }] of entries) {
      const member = read(Object.hasOwn(value, name) ? value[name] : undefined);
      if (member !== undefined) found[name] = member;
      else if (presence === 'required') return undefined;
    }
    return found as ObjectOf<F>;
  });
}

const EMPTY: Readonly<Record<string, unknown>> = { array: [], object: {}, string: '' };

/** A field that may be left out, and then is absent from what is read. */
export function optional<T>(given: Field<T, 'required'>): Field<T, 'optional'> {
  return { ...given, presence: 'optional' };
}

/** A list, map, object or text that may be left out, and then reads as the empty one. */
export function orEmpty<T extends object | string>(given: Field<T, 'required'>): Field<T, 'present'> {
  const empty = EMPTY[given.schema.type ?? ''];
  return { ...given, presence: 'present', read: (value) => given.read(value) ?? given.read(empty) };
}

function schemaOf(type: StructuralSchema['type'], { description, rules, ...options }: Described): StructuralSchema {
  return {
    type,
    ...(description === undefined ? {} : { description }),
    ...options,
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
  };
}

function field<T, P extends Presence>(schema: StructuralSchema, read: (value: unknown) => T | undefined): Field<T, P> {
  if (schema.default === undefined) return { schema, presence: 'required' as P, read };
  return { schema, presence: 'present' as P, read: (value) => read(value) ?? read(schema.default) };
}

/**
 * The milliseconds of a duration as our resources write it: whole hours, minutes and seconds, e.g. `1h30m`.
 *
 * @throws AppError `InvalidInput` for anything else.
 */
function parseDuration(text: string): number {
  if (!/^([0-9]+[smh])+$/.test(text)) {
    throw new AppError('InvalidInput', `duration: ${JSON.stringify(text)}: write hours, minutes and seconds, for example 1h30m`);
  }
  const parts = text.match(/[0-9]+[smh]/g) ?? [];
  return parts.reduce((sum, part) => sum + Number(part.slice(0, -1)) * MILLISECONDS[unitOf(part)], 0);
}

function unitOf(part: string): keyof typeof MILLISECONDS {
  if (part.endsWith('h')) return 'h';
  return part.endsWith('m') ? 'm' : 's';
}

/** `status.conditions`. @param subject what they are true of, for example "the source". */
export function conditionsField(subject: string): Field<readonly Condition[], 'present'> {
  const condition = object(
    {
      type: text({ description: 'What the condition is about, for example Ready.' }),
      status: choice(['True', 'False', 'Unknown'], { description: 'Whether it is true.' }),
      reason: text({ description: 'One word about why.' }),
      message: text({ description: 'A sentence for people.' }),
      observedGeneration: optional(generation({ description: 'The generation of the spec that the condition is about.' })),
      lastTransitionTime: time({ description: 'When the status of the condition changed last.' }),
    },
    {},
  );
  const description = `What is true of ${subject}, as the Kubernetes API conventions have it. Reconciling and Stalled are there only while they are true.`;
  return orEmpty(list(condition, { description, merge: { by: 'type' } }));
}
