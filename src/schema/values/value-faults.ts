import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as Ajv4 } from 'ajv-draft-04';
import { RE2JS } from 're2js';
import type { FieldFault } from '../../domain/core/errors.ts';
import { isObject, textAt } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { formatPath } from '../form-path.ts';

/** What a foreign schema says about values. */
export interface ValuesVerdict {
  /** What does not fit, at most 20; without any value. */
  readonly faults: readonly FieldFault[];
  /** A clause about what nobody looked at; absent when all was checked. */
  readonly unchecked?: string;
}

const MAX_FAULTS = 20;

/**
 * Holds values against a JSON Schema of draft 4, 6, 7, 2019-09 or 2020-12; one that does not say of which it is is read as what all of them share.
 * Patterns run in linear time. References to other documents are never followed: what they say is left out, and reported. This can take any
 * time and memory, so `checkValues` runs it in a thread of its own.
 */
export function valueFaults(schema: JsonObject, values: Json): ValuesVerdict {
  const { local, left } = checkable(schema);
  const unchecked = left.length === 0 ? {} : { unchecked: left.join(', and ') };
  try {
    const validate = compile(local);
    const errors = validate(plainNumbers(values)) ? [] : (validate.errors ?? []);
    return { faults: fieldFaults(errors), ...unchecked };
  } catch {
    return { faults: [], unchecked: 'the schema cannot be read' };
  }
}

function compile({ $schema: _said, ...schema }: JsonObject): ReturnType<Ajv['compile']> {
  const draft = textAt({ _said }, '_said') ?? '';
  if (/draft-04/.test(draft)) return new Ajv4.default(OPTIONS).compile(schema);
  if (/draft-0[67]/.test(draft)) return new Ajv(OPTIONS).compile(schema);
  return /2020-12/.test(draft) ? new Ajv2020(OPTIONS).compile(schema) : new Ajv2019(OPTIONS).compile(schema);
}

/** Ajv keeps one program for each text of `toString`, so it has to be another one for each pattern. */
const linear = Object.assign(
  (pattern: string, flags: string) => {
    const program = programOf(pattern);
    return { test: (text: string) => program?.test(text) ?? true, toString: () => `/${pattern}/${flags}` };
  },
  { code: 'linear' },
);

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  logger: false,
  validateSchema: false,
  validateFormats: false,
  ownProperties: true,
  code: { regExp: linear },
};

function programOf(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

interface Checkable {
  readonly local: JsonObject;
  /** What was left out, a clause each. */
  readonly left: readonly string[];
}

const REMOTE = 'the schema refers to other documents, which are never fetched';
const UNREADABLE = 'the schema has patterns that need a backtracking engine';

/** The schema without references that lead out of it, and without patterns that the linear engine cannot read. */
function checkable(schema: JsonObject): Checkable {
  const left = new Set<string>();
  const leave = (why: string): never[] => {
    left.add(why);
    return [];
  };
  const copy = (node: Json | undefined): Json | undefined => {
    if (Array.isArray(node)) return (node as readonly Json[]).map((item) => copy(item) ?? null);
    if (!isObject(node)) return node;
    const unknown = unreadableNames(node);
    const kept = Object.entries(node).flatMap(([key, value]): (readonly [string, Json | undefined])[] => {
      const text = typeof value === 'string' ? value : undefined;
      if (text !== undefined && /^\$(ref|dynamicRef|recursiveRef)$/.test(key) && !text.startsWith('#')) return leave(REMOTE);
      if (text !== undefined && key === 'pattern' && programOf(text) === undefined) return leave(UNREADABLE);
      if (unknown.length === 0) return [[key, copy(value)]];
      // What such a pattern would have described is not known, so neither is what nothing describes.
      if (key === 'additionalProperties' || key === 'unevaluatedProperties') return leave(UNREADABLE);
      if (key !== 'patternProperties') return [[key, copy(value)]];
      left.add(UNREADABLE);
      const readable = Object.entries(value as JsonObject).filter(([pattern]) => !unknown.includes(pattern));
      return [[key, copy(Object.fromEntries(readable))]];
    });
    return Object.fromEntries(kept.map(([key, value]) => [key, value as Json]));
  };
  const local = copy(schema) as JsonObject;
  return { local, left: [...left] };
}

/** The patterns for names of members that cannot be run. */
function unreadableNames({ patternProperties }: Readonly<Record<string, unknown>>): string[] {
  return isObject(patternProperties) ? Object.keys(patternProperties).filter((pattern) => programOf(pattern) === undefined) : [];
}

/** To a schema, a whole number of 64 bits is a number. */
function plainNumbers(value: Json | undefined): Json {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(plainNumbers);
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainNumbers(member as Json)]));
}

/** A choice that failed says so itself; what each of its branches would have wanted says less than that. */
function fieldFaults(errors: readonly ErrorObject[]): FieldFault[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf').map(({ schemaPath }) => `${schemaPath}/`);
  const own = errors.filter(({ schemaPath, keyword }) => keyword !== 'if' && !choices.some((path) => schemaPath.startsWith(path)));
  return own.slice(0, MAX_FAULTS).map((error) => ({ field: fieldOf(error), message: messageOf(error) }));
}

function fieldOf({ instancePath }: ErrorObject): string {
  const keys = instancePath.split('/').slice(1);
  return formatPath(keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key.replaceAll('~1', '/').replaceAll('~0', '~'))));
}

function messageOf({ message = 'does not fit', keyword, params }: ErrorObject): string {
  const name = textAt(params, 'additionalProperty') ?? textAt(params, 'unevaluatedProperty');
  if (name !== undefined) return `knows no ${JSON.stringify(name.slice(0, 80))}`;
  return keyword === 'required' ? `must have ${JSON.stringify(textAt(params, 'missingProperty') ?? '')}` : message;
}
