import { listAt, textAt, textsAt } from '../core/read.ts';
import { ENVIRONMENT_ROLES, type EnvironmentRole } from '../environment/environment-kind.ts';
import type { Actor } from '../kubernetes/actor.ts';
import type { NonResourceAttributes, ResourceAttributes } from '../kubernetes/cluster.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** A subject of a RoleBinding or ClusterRoleBinding. */
export interface BoundSubject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  /** Of a ServiceAccount. */
  readonly namespace?: string;
}

/** What one binding gives one subject. */
export interface Grant {
  /** `RoleBinding` or `ClusterRoleBinding`, and its name. */
  readonly bindingKind: string;
  readonly binding: string;
  readonly roleKind: string;
  readonly role: string;
  readonly subject: BoundSubject;
  /** Whether Chandlery made the binding, from an Environment. */
  readonly managed: boolean;
}

/** The grants of some bindings: one for each of their subjects. */
export function grantsOf(bindings: readonly KubeObject[]): Grant[] {
  return bindings.flatMap(({ kind, metadata: { name, labels = {} }, ...binding }) => {
    const managed = labels['app.kubernetes.io/managed-by'] === 'chandlery' && labels[OURS.environmentLabel] !== undefined;
    const [roleKind, role] = [textAt(binding, 'roleRef', 'kind') ?? '', textAt(binding, 'roleRef', 'name') ?? ''];
    return listAt(binding, 'subjects').flatMap((subject): Grant[] => {
      const found = subjectOf(subject);
      return found === undefined ? [] : [{ bindingKind: kind, binding: name, roleKind, role, subject: found, managed }];
    });
  });
}

function subjectOf(subject: unknown): BoundSubject | undefined {
  const kind = (['User', 'Group', 'ServiceAccount'] as const).find((one) => one === textAt(subject, 'kind'));
  if (kind === undefined) return undefined;
  const namespace = textAt(subject, 'namespace');
  return { kind, name: textAt(subject, 'name') ?? '', ...(kind === 'ServiceAccount' && namespace !== undefined ? { namespace } : {}) };
}

/** The group that the api-server puts everybody into who is signed in. */
const AUTHENTICATED = 'system:authenticated';

/** Whether somebody is a subject, or in it. */
export function isSubject({ kind, name, namespace = '' }: BoundSubject, { user, groups }: Actor): boolean {
  switch (kind) {
    case 'User':
      return name === user;
    case 'Group':
      return name === AUTHENTICATED || groups.includes(name);
    case 'ServiceAccount':
      return user === `system:serviceaccount:${namespace}:${name}`;
    default:
      return kind satisfies never;
  }
}

/** `developer` for `chandlery-developer`; undefined for a role that is none of an Environment. */
function environmentRoleOf({ role, roleKind }: Pick<Grant, 'role' | 'roleKind'>): EnvironmentRole | undefined {
  return roleKind === 'ClusterRole' ? ENVIRONMENT_ROLES.find((one) => role === `chandlery-${one}`) : undefined;
}

/** The role of a grant in words: `developer`, else `ClusterRole edit`. */
export function roleWords(grant: Pick<Grant, 'role' | 'roleKind'>): string {
  return environmentRoleOf(grant) ?? `${grant.roleKind} ${grant.role}`;
}

/** A verb on a resource, as RBAC has it. */
export interface AskedPermission {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  readonly name?: string;
}

/** Whether one of some RBAC rules gives a permission. */
export function isAllowedBy(rules: readonly unknown[], { verb, group, resource, name }: AskedPermission): boolean {
  const subresource = resource.includes('/') ? `*/${resource.split('/')[1] ?? ''}` : resource;
  return rules.some((rule) => {
    const has = (key: string, ...values: readonly string[]): boolean =>
      textsAt(rule, key).some((one) => one === '*' || values.includes(one));
    const names = textsAt(rule, 'resourceNames');
    return (
      has('verbs', verb) &&
      has('apiGroups', group) &&
      has('resources', resource, subresource) &&
      (names.length === 0 || (name !== undefined && names.includes(name)))
    );
  });
}

/** The same for what an access review asks; rules of resources never give a verb on a path. */
export function isAccessAllowedBy(rules: readonly unknown[], attributes: ResourceAttributes | NonResourceAttributes): boolean {
  if ('path' in attributes) return false;
  const { subresource, resource, ...asked } = attributes;
  return isAllowedBy(rules, { ...asked, resource: subresource === undefined ? resource : `${resource}/${subresource}` });
}
