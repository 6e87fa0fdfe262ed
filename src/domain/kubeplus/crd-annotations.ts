import type { KubeObject } from '../kubernetes/resource.ts';

/** The annotations of KubePlus by their present prefix; those of older CRDs begin with `platform-as-code/`. */
const PREFIXES = ['resource/', 'platform-as-code/'] as const;

const MAX_USAGE_LENGTH = 20_000;
const MAX_LENGTH = 4_000;
const MAX_KINDS = 50;
const MAX_RELATIONS = 20;

/** Where the usage text of a kind is. */
export type UsageSource =
  | { readonly kind: 'Inline'; readonly text: string }
  | { readonly kind: 'ConfigMap'; readonly namespace: string; readonly name: string; readonly key: string };

/** A value that has the name of the instance in it. */
export interface NamePattern {
  readonly before: string;
  readonly after: string;
  /** `Contains`: the value has the name as a word of its own, such as in a list of names. */
  readonly match: 'Exact' | 'Contains';
}

/** How objects of other kinds are related to an instance, as its CRD says it. Kinds are without group. */
export type DeclaredRelation =
  | { readonly by: 'Label' | 'Annotation'; readonly kinds: readonly string[]; readonly key: string; readonly value: NamePattern }
  | { readonly by: 'Field'; readonly kinds: readonly string[]; readonly path: string };

/** A value that cannot be used, and why. */
export interface AnnotationFault {
  readonly annotation: string;
  readonly message: string;
}

/** What the annotations of a CRD say about instances of its kind. */
export interface CrdAnnotations {
  readonly usage?: UsageSource;
  /** The kinds of which an instance is composed, without group. */
  readonly composition: readonly string[];
  readonly relations: readonly DeclaredRelation[];
  readonly faults: readonly AnnotationFault[];
}

type Read<T> = (text: string) => T;

/**
 * Reads `resource/usage`, `resource/composition`, `resource/label-relationship`, `resource/annotation-relationship` and `resource/specproperty-relationship` of a CRD,
 * or the older forms of them. A value that does not follow the grammar is a fault and says nothing else.
 */
export function crdAnnotationsOf(crd: KubeObject): CrdAnnotations {
  const faults: AnnotationFault[] = [];
  const read = <T>(name: string, parse: Read<T>): T | undefined => {
    const [annotation, text] = annotationOf(crd, name);
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      faults.push({ annotation, message: error.message });
      return undefined;
    }
  };
  const usage = read('usage', parseUsage);
  const composition = read('composition', parseKinds) ?? [];
  const relations = [
    ...(read('label-relationship', (text) => parseRelations(text, 'Label')) ?? []),
    ...(read('annotation-relationship', (text) => parseRelations(text, 'Annotation')) ?? []),
    ...(read('specproperty-relationship', parseFieldRelations) ?? []),
  ];
  return { ...(usage === undefined ? {} : { usage }), composition, relations, faults };
}

/** The present form counts where both are there. */
function annotationOf({ metadata }: KubeObject, name: string): readonly [annotation: string, text: string | undefined] {
  const annotations: Readonly<Record<string, unknown>> = metadata.annotations ?? {};
  const [found = `${PREFIXES[0]}${name}`] = PREFIXES.map((prefix) => `${prefix}${name}`).filter((key) => Object.hasOwn(annotations, key));
  const text = Object.hasOwn(annotations, found) ? annotations[found] : undefined;
  return [found, typeof text === 'string' ? text : undefined];
}

/** `name.key` and `namespace.name.key` of a ConfigMap; anything with a space or without a dot is the text itself. */
const REFERENCE = /^(?:([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)\.)?([a-z0-9]([-a-z0-9]{0,251}[a-z0-9])?)\.([-_a-zA-Z0-9]{1,253})$/;

function parseUsage(text: string): UsageSource {
  const trimmed = text.trim();
  if (trimmed === '') throw new SyntaxError('the value is empty; expected a text, or name.key of a ConfigMap');
  const [, namespace = 'default', , name, , key] = REFERENCE.exec(trimmed) ?? [];
  if (name !== undefined && key !== undefined) return { kind: 'ConfigMap', namespace, name, key };
  return { kind: 'Inline', text: bounded(trimmed, MAX_USAGE_LENGTH) };
}

const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;

function parseKinds(text: string): readonly string[] {
  return kindsIn(bounded(text, MAX_LENGTH).split(','));
}

function kindsIn(words: readonly string[]): readonly string[] {
  const kinds = [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))];
  if (kinds.length === 0) throw new SyntaxError('no kind is named; expected kinds such as Deployment, Service');
  if (kinds.length > MAX_KINDS) throw new SyntaxError(`${kinds.length} kinds are named, at most ${MAX_KINDS} are read`);
  const wrong = kinds.find((kind) => !KIND.test(kind));
  if (wrong !== undefined) throw new SyntaxError(`${quoted(wrong)} is not a kind; expected one such as Deployment`);
  return kinds;
}

/** A name of a label or annotation, with its prefix. */
const KEY =
  /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?){0,20}\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** `on:Pod;Service, key:example.com/owner, value:INSTANCE.metadata.name`, one after another. */
function parseRelations(text: string, by: 'Label' | 'Annotation'): readonly DeclaredRelation[] {
  return relationsIn(text).map((parts) => {
    const [on, key, value] = membersOf(parts, ['on', 'key', 'value']);
    if (!KEY.test(key)) throw new SyntaxError(`key: ${quoted(key)} is not the name of ${by === 'Label' ? 'a label' : 'an annotation'}`);
    return { by, kinds: kindsIn(on.split(';')), key, value: patternOf(value) };
  });
}

const FIELD = /^INSTANCE\.([A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63}){0,19})$/;
/** KubePlus writes `Service.spec.metadata.name`, too. */
const NAME_OF = /^([A-Z][A-Za-z0-9]{0,62})\.(?:spec\.)?(?:metadata\.)?name$/;

/** `on:INSTANCE.spec.serviceName, value:Service.metadata.name`: the field has the name of a Service. */
function parseFieldRelations(text: string): readonly DeclaredRelation[] {
  return relationsIn(text).map((parts) => {
    const [on, value] = membersOf(parts, ['on', 'value']);
    const [, path] = FIELD.exec(on) ?? [];
    const [, kind] = NAME_OF.exec(value) ?? [];
    if (path === undefined) throw new SyntaxError(`on: ${quoted(on)} is not a field of the instance; expected INSTANCE.spec.name`);
    if (kind === undefined) throw new SyntaxError(`value: ${quoted(value)} is not the name of a kind; expected Service.metadata.name`);
    return { by: 'Field', kinds: [kind], path };
  });
}

/** Each `on:` begins a relation. */
function relationsIn(text: string): readonly (readonly string[])[] {
  const parts = bounded(text, MAX_LENGTH)
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const relations: string[][] = [];
  for (const part of parts) {
    if (part.startsWith('on:') || relations.length === 0) relations.push([]);
    relations.at(-1)?.push(part);
  }
  if (relations.length === 0) throw new SyntaxError('the value is empty; expected on:KIND, key:NAME, value:INSTANCE.metadata.name');
  if (relations.length > MAX_RELATIONS) throw new SyntaxError(`${relations.length} relations, at most ${MAX_RELATIONS} are read`);
  return relations;
}

function membersOf<const N extends readonly string[]>(parts: readonly string[], names: N): { [K in keyof N]: string } {
  const members = new Map(
    parts.map((part) => {
      const colon = part.indexOf(':');
      return colon < 0 ? ([part, ''] as const) : ([part.slice(0, colon), part.slice(colon + 1).trim()] as const);
    }),
  );
  const unknown = [...members.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) throw new SyntaxError(`${quoted(unknown)} is not known; expected ${names.join(', ')}`);
  const missing = names.find((name) => (members.get(name) ?? '') === '');
  if (missing !== undefined) throw new SyntaxError(`${missing}: is missing; expected ${names.join(', ')}`);
  if (parts.length !== names.length) throw new SyntaxError(`each of ${names.join(', ')} is expected once`);
  return names.map((name) => members.get(name) ?? '') as { [K in keyof N]: string };
}

const INSTANCE_NAME = String.raw`INSTANCE\.(?:metadata\.)?name`;
const EXACT = new RegExp(`^([A-Za-z0-9._/-]{0,100})${INSTANCE_NAME}([A-Za-z0-9._/-]{0,100})$`);
const CONTAINS = new RegExp(String.raw`^(?:contains\(${INSTANCE_NAME}\)|\[\{name: ?${INSTANCE_NAME}\}\])$`);

function patternOf(value: string): NamePattern {
  if (CONTAINS.test(value)) return { before: '', after: '', match: 'Contains' };
  const [, before, after] = EXACT.exec(value) ?? [];
  if (before === undefined || after === undefined) {
    throw new SyntaxError(`value: ${quoted(value)} is not known; expected INSTANCE.metadata.name or contains(INSTANCE.metadata.name)`);
  }
  return { before, after, match: 'Exact' };
}

function bounded(text: string, most: number): string {
  if (text.length > most) throw new SyntaxError(`the value has ${text.length} characters, at most ${most} are read`);
  return text;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
