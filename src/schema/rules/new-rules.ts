import { isObject, listAt, objectAt, textAt } from '../../domain/core/read.ts';

/** A rule in CEL that a new schema has and the one before had not. */
export interface NewRule {
  /** From the whole object to the node that is `self`: a member's name, `[]` for the items of a list, `[*]` for members of any name. */
  readonly path: readonly string[];
  readonly rule: string;
  /** What the schema says about it; else the rule. Written by whoever wrote the schema, so it holds no value of an instance. */
  readonly message: string;
}

export const ITEMS = '[]';
export const MEMBERS = '[*]';
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
