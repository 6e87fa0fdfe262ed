import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../../core/exact-json.ts';
import { at, isObject, listAt, numberAt, objectAt, textAt, textsAt } from '../../core/read.ts';
import type { CrdFinding } from './finding.ts';
import { below, hasDefault, keepsUnknown, memberSchema, openMembers, typeOf } from './schema-shape.ts';
import { isCheckedFormat } from './formats.ts';

/** Members of every object, which the api-server defines. */
const OWN_MEMBERS = new Set(['apiVersion', 'kind', 'metadata']);
const MAX_DEPTH = 60;

/**
 * What a new structural schema takes away. What concerns `status` is a notice: the operator writes it anew.
 *
 * @param path of the node; empty for the whole object.
 */
export function compareSchemas(live: unknown, candidate: unknown, path = ''): CrdFinding[] {
  if (isDeepStrictEqual(live, candidate) || path.split('.').length > MAX_DEPTH) return [];
  const mild = path === 'status' || path.startsWith('status.') || path.startsWith('status[');
  const found = compareNode(live, candidate, path);
  return mild ? found.map((finding) => ({ ...finding, severity: 'Notice' as const })) : found;
}

function compareNode(live: unknown, candidate: unknown, path: string): CrdFinding[] {
  const [before, after] = [typeOf(live), typeOf(candidate)];
  if (!takesType(before, after)) {
    const was = before === 'any' ? 'anything was allowed' : `it was ${before}`;
    return [{ path, message: `the type is ${after} now; ${was}`, severity: 'Unsafe' }];
  }
  return [
    ...tightened(live, candidate).map((change) => ({ ...change, path })),
    ...newlyRequired(live, candidate, path),
    ...closed(live, candidate, path),
    ...members(live, candidate, path),
    ...named(live, candidate, path),
    ...items(live, candidate, path),
  ];
}

function takesType(before: string, after: string): boolean {
  if (before === after || after === 'any') return true;
  if (after === 'number') return before === 'integer';
  return after === 'int-or-string' && (before === 'integer' || before === 'string');
}

/** Required without a default, and not so before. */
function newlyRequired(live: unknown, candidate: unknown, path: string): CrdFinding[] {
  const given = (schema: unknown, name: string): boolean => hasDefault(at(schema, 'properties', name));
  const before = new Set(textsAt(live, 'required').filter((name) => !given(live, name)));
  return textsAt(candidate, 'required')
    .filter((name) => !before.has(name) && !given(candidate, name))
    .map((name) => ({ path: below(path, name), message: 'it is required now', severity: 'Unsafe' }));
}

/** Names that were free and are not any more. */
function closed(live: unknown, candidate: unknown, path: string): CrdFinding[] {
  if (typeOf(candidate) !== 'object' || keepsUnknown(candidate)) return [];
  const open = openMembers(candidate);
  if (isObject(live) && keepsUnknown(live)) {
    const message =
      open === undefined ? 'fields that the schema does not name are dropped now' : 'members with names of their own are checked now';
    return [{ path, message, severity: 'Unsafe' }];
  }
  if (openMembers(live) === undefined || open !== undefined) return [];
  return [{ path, message: 'only the named members are allowed now; others are dropped', severity: 'Unsafe' }];
}

function members(live: unknown, candidate: unknown, path: string): CrdFinding[] {
  const named = Object.entries(objectAt(live, 'properties')).filter(([name]) => path !== '' || !OWN_MEMBERS.has(name));
  const found = named.flatMap(([name, schema]) => {
    const next = memberSchema(candidate, name);
    if (next !== undefined) return compareSchemas(schema, next, below(path, name));
    if (keepsUnknown(candidate)) return [];
    return [asFinding(below(path, name), 'the field is removed, and its value is dropped')];
  });
  const [open, next] = [openMembers(live), openMembers(candidate)];
  return open === undefined || next === undefined ? found : [...found, ...compareSchemas(open, next, `${path}[*]`)];
}

/** Members that had any content, because the schema did not know them, and have a schema now. */
function named(live: unknown, candidate: unknown, path: string): CrdFinding[] {
  if (!isObject(live) || !keepsUnknown(live) || !keepsUnknown(candidate)) return [];
  const known = objectAt(live, 'properties');
  const added = Object.entries(objectAt(candidate, 'properties')).filter(
    ([name, schema]) => !Object.hasOwn(known, name) && typeOf(schema) !== 'any',
  );
  return added.map(([name, schema]) => ({
    path: below(path, name),
    message: `it could hold anything, and is ${typeOf(schema)} now`,
    severity: 'Notice',
  }));
}

/** A removed member below `status` is met here while its path is not yet that of a node. */
function asFinding(path: string, message: string): CrdFinding {
  return { path, message, severity: path === 'status' ? 'Notice' : 'Unsafe' };
}

function items(live: unknown, candidate: unknown, path: string): CrdFinding[] {
  const [before, after] = [at(live, 'items'), at(candidate, 'items')];
  return before === undefined || after === undefined ? [] : compareSchemas(before, after, `${path}[]`);
}

type Change = Omit<CrdFinding, 'path'>;

const LOWER = {
  minimum: 'minimum',
  minLength: 'shortest length',
  minItems: 'least number of items',
  minProperties: 'least number of members',
} as const;
const UPPER = {
  maximum: 'maximum',
  maxLength: 'longest length',
  maxItems: 'greatest number of items',
  maxProperties: 'greatest number of members',
} as const;

/** How a node of a schema allows less than before, its children aside. */
function tightened(live: unknown, candidate: unknown): Change[] {
  return [
    ...bounds(live, candidate),
    ...enumeration(live, candidate),
    ...texts(live, candidate),
    ...flagChanges(live, candidate),
    ...conditions(live, candidate),
  ];
}

function bounds(live: unknown, candidate: unknown): Change[] {
  const lower = Object.entries(LOWER).flatMap(([keyword, word]) => raised(live, candidate, { keyword, word, sign: 1 }));
  const upper = Object.entries(UPPER).flatMap(([keyword, word]) => raised(live, candidate, { keyword, word, sign: -1 }));
  const exclusive = ['exclusiveMinimum', 'exclusiveMaximum'].filter((keyword) => isTrue(candidate, keyword) && !isTrue(live, keyword));
  const step = numberAt(candidate, 'multipleOf');
  const before = numberAt(live, 'multipleOf');
  const stepped =
    step !== undefined && (before === undefined || before % step !== 0) ? [unsafe(`only multiples of ${step} are allowed now`)] : [];
  return [...lower, ...upper, ...exclusive.map((keyword) => unsafe(`the bound itself is not allowed any more (${keyword})`)), ...stepped];
}

interface Bound {
  readonly keyword: string;
  readonly word: string;
  /** 1 when a greater number allows less, -1 when a smaller one does. */
  readonly sign: 1 | -1;
}

function raised(live: unknown, candidate: unknown, { keyword, word, sign }: Bound): Change[] {
  const [before, after] = [numberAt(live, keyword), numberAt(candidate, keyword)];
  if (after === undefined || (before !== undefined && (after - before) * sign <= 0)) return [];
  const moves = sign === 1 ? 'rises' : 'falls';
  return [unsafe(before === undefined ? `there is a ${word} now: ${after}` : `the ${word} ${moves} from ${before} to ${after}`)];
}

function enumeration(live: unknown, candidate: unknown): Change[] {
  const [before, after] = [listAt(live, 'enum'), listAt(candidate, 'enum')];
  if (after.length === 0) return [];
  const shown = (values: readonly unknown[]): string =>
    values
      .slice(0, 10)
      .map((value) => stringifyJson(value))
      .join(', ');
  if (before.length === 0) return [unsafe(`only ${shown(after)} are allowed now`)];
  const lost = before.filter((value) => !after.some((other) => isDeepStrictEqual(value, other)));
  return lost.length === 0 ? [] : [unsafe(`${shown(lost)} ${lost.length === 1 ? 'is' : 'are'} not allowed any more`)];
}

function texts(live: unknown, candidate: unknown): Change[] {
  const changes: Change[] = [];
  const pattern = textAt(candidate, 'pattern');
  if (pattern !== undefined && pattern !== textAt(live, 'pattern')) changes.push(unsafe(`it must match the pattern ${pattern} now`));
  const format = textAt(candidate, 'format');
  if (format !== undefined && format !== textAt(live, 'format') && isCheckedFormat(format))
    changes.push(unsafe(`it must have the format ${format} now`));
  return changes;
}

function flagChanges(live: unknown, candidate: unknown): Change[] {
  const changes: Change[] = [];
  if (isTrue(live, 'nullable') && !isTrue(candidate, 'nullable')) changes.push(unsafe('null is not allowed any more'));
  const embedded = 'x-kubernetes-embedded-resource';
  if (isTrue(candidate, embedded) && !isTrue(live, embedded))
    changes.push(unsafe('it must be a whole resource now, with apiVersion and kind'));
  if (isTrue(live, embedded) && !isTrue(candidate, embedded) && !keepsUnknown(candidate))
    changes.push(unsafe('it is no resource any more, so apiVersion, kind and metadata are dropped unless the schema names them'));
  if (hasDefault(live) && !hasDefault(candidate)) changes.push(notice('its default is removed'));
  if (hasDefault(live) && hasDefault(candidate) && isChanged(live, candidate, 'default')) changes.push(notice('its default changes'));
  return [...changes, ...lists(live, candidate)];
}

/** How the entries of a list are distinguished, and who owns which of them. */
function lists(live: unknown, candidate: unknown): Change[] {
  const [before, after] = [live, candidate].map((schema) => textAt(schema, 'x-kubernetes-list-type') ?? 'atomic');
  if (before !== after) {
    if (after === 'set' || after === 'map') return [unsafe(`the list is a ${after} now, so its entries must differ`)];
    return [notice('the list is atomic now, so each writer replaces it as a whole')];
  }
  const [keys, next] = [live, candidate].map((schema) => textsAt(schema, 'x-kubernetes-list-map-keys'));
  if (after !== 'map' || isDeepStrictEqual(new Set(keys), new Set(next))) return [];
  return [unsafe(`the entries of the list are identified by ${next?.join(', ') ?? ''} now; it was ${keys?.join(', ') ?? ''}`)];
}

/** What cannot be compared by looking at it; stored instances are checked against it all the same, rules in CEL aside. */
function conditions(live: unknown, candidate: unknown): Change[] {
  const junctors = ['allOf', 'anyOf', 'oneOf', 'not'].filter(
    (junctor) => isChanged(live, candidate, junctor) && !isIntOrString(candidate, junctor),
  );
  const known = new Set(listAt(live, 'x-kubernetes-validations').map((rule) => textAt(rule, 'rule')));
  const rules = listAt(candidate, 'x-kubernetes-validations').filter((rule) => !known.has(textAt(rule, 'rule')));
  return [
    ...junctors.map((junctor) => notice(`its conditions changed (${junctor})`)),
    ...rules.map((rule) => notice(`there is a new rule: ${textAt(rule, 'message') ?? textAt(rule, 'rule') ?? ''}`)),
  ];
}

/** What `int-or-string` means, spelled out. */
function isIntOrString(schema: unknown, junctor: string): boolean {
  const branches = listAt(schema, 'anyOf').map((branch) => textAt(branch, 'type'));
  return junctor === 'anyOf' && isTrue(schema, 'x-kubernetes-int-or-string') && isDeepStrictEqual(branches, ['integer', 'string']);
}

function isChanged(live: unknown, candidate: unknown, member: string): boolean {
  const [before, after] = [live, candidate].map((schema) => (isObject(schema) ? schema[member] : undefined));
  return after !== undefined && !isDeepStrictEqual(before, after);
}

function isTrue(schema: unknown, member: string): boolean {
  return isObject(schema) && schema[member] === true;
}

function unsafe(message: string): Change {
  return { message, severity: 'Unsafe' };
}

function notice(message: string): Change {
  return { message, severity: 'Notice' };
}
