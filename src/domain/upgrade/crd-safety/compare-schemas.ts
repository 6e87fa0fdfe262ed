import { isDeepStrictEqual } from 'node:util';
import { at, isObject, objectAt, textsAt } from '../../core/read.ts';
import type { CrdFinding } from './finding.ts';
import { below, hasDefault, keepsUnknown, memberSchema, openMembers, typeOf } from './schema-shape.ts';
import { tightened } from './tightened.ts';

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
