import { listInShort } from '../core/name-words.ts';
import type { ValueOf } from '../kind/field.ts';
import type { ENVIRONMENT_KIND, EnvironmentRole } from './environment-kind.ts';

/** A subject with a role in an Environment, as its spec names it. */
export interface EnvironmentMember {
  /** `Project`: the jobs of a CI project. */
  readonly kind: 'User' | 'Group' | 'ServiceAccount' | 'Project';
  readonly name: string;
  /** The namespace of a ServiceAccount. */
  readonly namespace?: string;
  readonly role: EnvironmentRole;
}

type Spec = Pick<ValueOf<(typeof ENVIRONMENT_KIND)['spec']>, 'groups' | 'subjects' | 'projects' | 'serviceAccounts'>;

/** The subjects that an Environment gives a role, groups first, then by name. @param namespace the one of the Environment. */
export function environmentMembers({ groups, subjects, projects, serviceAccounts }: Spec, namespace: string): EnvironmentMember[] {
  const members: EnvironmentMember[] = [
    ...groups.map(({ name, role }) => ({ kind: 'Group' as const, name, role })),
    ...subjects,
    ...projects.map(({ name, role }) => ({ kind: 'Project' as const, name, role })),
    ...serviceAccounts.map(({ name, role }) => ({ kind: 'ServiceAccount' as const, name, namespace, role })),
  ];
  const byText = new Map(members.map((member) => [memberText(member), member]));
  return [...byText]
    .toSorted(([a, one], [b, other]) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || a.localeCompare(b))
    .map(([, member]) => member);
}

const KINDS: readonly EnvironmentMember['kind'][] = ['Group', 'User', 'ServiceAccount', 'Project'];

/** `Group oidc:team-a (developer)` */
export function memberText({ kind, name, namespace, role }: { readonly [Key in keyof EnvironmentMember]: string }): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name} (${role})`;
}

const NAMED = 3;

/** `Group oidc:team-a (developer), User ada (viewer), User bob (viewer) and 2 more` */
export function membersInShort(members: readonly EnvironmentMember[]): string {
  return listInShort(members.map(memberText), NAMED);
}
