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
