import type { MissingPermission } from '../../domain/core/errors.ts';

/** Why choices cannot be listed. */
export function rejection({ verb, resource, group, namespace }: MissingPermission): string {
  const what = group === '' ? resource : `${resource}.${group}`;
  return `You may not ${verb} ${what}${namespace === undefined ? ' of the cluster' : ` in ${namespace}`}.`;
}

/** `an Issuer` */
export function withArticle(kind: string): string {
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** The sentence about a kind that nobody can list now. */
export function unlisted(kind: string, why: string): string {
  return `${kind} objects cannot be listed now: ${why}.`;
}
