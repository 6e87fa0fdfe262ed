import { Environment } from '@marcbachmann/cel-js';
import { isObject, listAt, objectAt, textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { withDefaults } from '../../domain/upgrade/crd-safety/schema-shape.ts';

/** An object that breaks a rule. */
interface BrokenRule {
  /** The place among the objects that were checked. */
  readonly index: number;
  /** `spec.hosts[2]` */
  readonly path: string;
  /** A clause without a value of the object. */
  readonly message: string;
}

export interface RulesAnswer {
  /** The first for each object that breaks one. */
  readonly broken: readonly BrokenRule[];
  /** Messages of rules that could not be carried out: functions of Kubernetes that are not known here, or a fault of the rule. */
  readonly unchecked: readonly string[];
}

type RuleCheck = (objects: readonly KubeObject[]) => RulesAnswer;

/*
 * How the api-server hands a custom resource to CEL: defaults filled in, whole numbers as integers, texts of some formats as times, and names that
 * CEL could not spell escaped. See "Validation rules" of the Kubernetes documentation of CustomResourceDefinitions.
 */

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

const times = new Environment({ unlistedVariablesAreDyn: true });

const duration = times.parse('duration(text)');

/** Makes the check of stored objects against rules of a schema. What cannot be carried out is reported, never taken for granted. */
export function createRuleCheck(schema: unknown, rules: readonly NewRule[]): RuleCheck {
  const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  const programs = rules.map((rule) => ({ rule, run: programOf(environment, rule.rule) }));
  return (objects) => {
    const unchecked = new Set<string>();
    const broken: BrokenRule[] = [];
    for (const [index, object] of objects.entries()) {
      const content = contentOf(schema, object);
      for (const { rule, run } of programs) {
        const found = brokenAt({ schema, rule, run }, content);
        if (found === undefined) continue;
        if (found.kind === 'Unknown') unchecked.add(rule.message);
        else if (broken.at(-1)?.index !== index) broken.push({ index, path: found.path, message: `it breaks the rule: ${rule.message}` });
      }
    }
    return { broken, unchecked: [...unchecked].sort() };
  };
}

type Program = (self: unknown) => boolean | undefined;

interface Checked {
  readonly schema: unknown;
  readonly rule: NewRule;
  readonly run: Program;
}

/** Undefined stands for an unknown result. */
function programOf(environment: Environment, rule: string): Program {
  try {
    const parsed = environment.parse(rule);
    return (self) => {
      try {
        const answer: unknown = parsed({ self });
        return typeof answer === 'boolean' ? answer : undefined;
      } catch {
        return undefined;
      }
    };
  } catch {
    return () => undefined;
  }
}

type Finding = { readonly kind: 'Broken'; readonly path: string } | { readonly kind: 'Unknown' };

/** Where the rule is broken first; undefined when nowhere. */
function brokenAt({ schema, rule, run }: Checked, content: unknown): Finding | undefined {
  let unknown = false;
  for (const node of nodesAt({ schema, value: content, path: '' }, rule.path)) {
    const holds = run(selfOf(node));
    if (holds === false) return { kind: 'Broken', path: node.path };
    unknown ||= holds === undefined;
  }
  return unknown ? { kind: 'Unknown' } : undefined;
}

interface Node {
  readonly schema: unknown;
  readonly value: unknown;
  readonly path: string;
}

function selfOf({ schema, value }: Node): unknown {
  try {
    return celValue(schema, value);
  } catch {
    return undefined;
  }
}

/** The values that the rule is about. A null is none. */
function* nodesAt(node: Node, path: readonly string[]): Generator<Node> {
  const [step, ...rest] = path;
  const { schema, value } = node;
  if (value === null || value === undefined) return;
  if (step === undefined) {
    yield node;
    return;
  }
  if (step === ITEMS && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* nodesAt({ schema: objectAt(schema)['items'], value: item, path: `${node.path}[${index}]` }, rest);
    }
  } else if (step === MEMBERS && isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      yield* nodesAt(
        { schema: objectAt(schema)['additionalProperties'], value: member, path: `${node.path}[${JSON.stringify(name)}]` },
        rest,
      );
    }
  } else if (isObject(value) && Object.hasOwn(value, step)) {
    const next = objectAt(schema, 'properties')[step];
    yield* nodesAt({ schema: next, value: value[step], path: node.path === '' ? step : `${node.path}.${step}` }, rest);
  }
}

/** Of the metadata, rules see the name alone. */
function contentOf(schema: unknown, object: KubeObject): unknown {
  const { apiVersion, kind, metadata, status: _status, ...content } = object;
  const generateName = textAt(metadata, 'generateName');
  const named = { name: metadata.name, ...(generateName === undefined ? {} : { generateName }) };
  return { ...objectAt(withDefaults(schema, content)), apiVersion, kind, metadata: named };
}

/** The value as a rule sees it. @throws when a text has not the format that its schema names. */
function celValue(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => celValue(objectAt(schema)['items'], item));
  if (isObject(value)) return celObject(schema, value);
  if (typeof value === 'number') return Number.isInteger(value) && textAt(schema, 'type') !== 'number' ? BigInt(value) : value;
  return typeof value === 'string' ? celText(textAt(schema, 'format'), value) : value;
}

function celObject(schema: unknown, value: Readonly<Record<string, unknown>>): unknown {
  const properties = objectAt(schema, 'properties');
  const open = objectAt(schema)['additionalProperties'];
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      Object.hasOwn(properties, name) ? [escaped(name), celValue(properties[name], member)] : [name, celValue(open, member)],
    ),
  );
}

function celText(format: string | undefined, text: string): unknown {
  switch (format) {
    case 'date-time':
    case 'date':
      return new Date(text);
    case 'duration':
      return duration({ text });
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case undefined:
    default:
      return text;
  }
}

function escaped(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll('__', '__underscores__').replaceAll('.', '__dot__').replaceAll('-', '__dash__').replaceAll('/', '__slash__');
}

/** A rule in CEL that a new schema has and the one before had not. */
export interface NewRule {
  /** From the whole object to the node that is `self`: a member's name, `[]` for the items of a list, `[*]` for members of any name. */
  readonly path: readonly string[];
  readonly rule: string;
  /** What the schema says about it; else the rule. Written by whoever wrote the schema, so it holds no value of an instance. */
  readonly message: string;
}

const ITEMS = '[]';
const MEMBERS = '[*]';
const MAX_DEPTH = 60;

/**
 * The rules that stored objects have not been held against: new ones and changed ones. Rules about a change (`oldSelf`) say nothing about what
 * is stored, and `status` is the operator's own.
 */
export function newRules(live: unknown, candidate: unknown, path: readonly string[] = []): NewRule[] {
  if (!isObject(candidate) || path.length > MAX_DEPTH || path[0] === 'status') return [];
  const known = new Set(listAt(live, 'x-kubernetes-validations').map((item) => textAt(item, 'rule')));
  const own = listAt(candidate, 'x-kubernetes-validations').flatMap((item) => {
    const rule = textAt(item, 'rule') ?? '';
    if (known.has(rule) || /\boldSelf\b/.test(rule)) return [];
    return [{ path, rule, message: textAt(item, 'message') ?? rule }];
  });
  const members = Object.entries(objectAt(candidate, 'properties')).flatMap(([name, schema]) =>
    newRules(objectAt(live, 'properties')[name], schema, [...path, name]),
  );
  const [open, items] = [candidate['additionalProperties'], candidate['items']];
  return [
    ...own,
    ...members,
    ...newRules(objectAt(live)['additionalProperties'], open, [...path, MEMBERS]),
    ...newRules(objectAt(live)['items'], items, [...path, ITEMS]),
  ];
}
