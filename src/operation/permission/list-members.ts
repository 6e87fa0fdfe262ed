import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { ciGroup } from '../../domain/environment/ci-project.ts';
import { isDeployer } from '../../domain/environment/deployer.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { ROLE_BINDING, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type Grant, grantsOf, roleWords } from '../../domain/permission/grants.ts';
import { listAuditEvents } from '../audit/list-audit-events.ts';
import { environmentDetails, findEnvironmentObject } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';

export const MEMBER_ORIGINS = ['Group', 'Subject', 'Project', 'ServiceAccount', 'Deployer', 'Other'] as const;

/** Somebody with a role in the namespace of an Environment. */
export interface Member extends Grant {
  /** The role in words: `developer`, else `ClusterRole edit`. */
  readonly roleName: string;
  /** The field of the Environment that makes the member one; `Deployer`: the account that releases of charts are applied as; `Other`: somebody else bound it. */
  readonly origin: (typeof MEMBER_ORIGINS)[number];
}

export interface EnvironmentMembers {
  readonly environment: EnvironmentView;
  /** By role and name. */
  readonly members: readonly Member[];
  /** Who acted in the environment through Chandlery, the latest first; absent for whoever may not read the audit log. */
  readonly recent?: readonly { readonly user: string; readonly lastSeen: string }[];
  /** Without it, no members are known. */
  readonly missing?: MissingPermission;
}

/** Every subject of a RoleBinding in the namespace of an Environment, read as the actor. Throws as `findEnvironment`. */
export async function listMembers(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>,
  actor: Actor,
  name: string,
): Promise<EnvironmentMembers> {
  const object = await findEnvironmentObject(ports.clusters, actor, name);
  const { object: _object, etag: _etag, ...environment } = environmentDetails(ports, object);
  const [bound, recent] = await Promise.all([listGrants(ports, actor, environment.namespace), recentPeople(ports, actor, name)]);
  const seen = recent === undefined ? {} : { recent };
  if ('missing' in bound) return { environment, members: [], missing: bound.missing, ...seen };
  const members = bound.grants.map((grant): Member => ({ ...grant, roleName: roleWords(grant), origin: originOf(object, grant) }));
  return { environment, members: members.sort(byRole), ...seen };
}

/** The grants in a namespace, or the permission that is missing to read them. */
export async function listGrants(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  namespace: string,
): Promise<{ readonly grants: readonly Grant[] } | { readonly missing: MissingPermission }> {
  try {
    const { items } = await clusters.asActor(actor).list(ROLE_BINDING, { namespace });
    return { grants: grantsOf(items) };
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return { missing: { ...permissionTo('list', ROLE_BINDING), namespace } };
  }
}

const ROLE_ORDER = ['maintainer', 'developer', 'viewer'];

function byRole(a: Member, b: Member): number {
  const rank = ({ roleName }: Member): number => (ROLE_ORDER.indexOf(roleName) + ROLE_ORDER.length + 1) % (ROLE_ORDER.length + 1);
  return rank(a) - rank(b) || a.subject.kind.localeCompare(b.subject.kind) || a.subject.name.localeCompare(b.subject.name);
}

/** Which field of the Environment names the subject. */
function originOf(environment: KubeObject, { managed, subject }: Grant): Member['origin'] {
  if (!managed) return 'Other';
  const { groups, projects } = specOf(ENVIRONMENT_KIND, environment);
  const { kind, name, namespace } = subject;
  if (isDeployer(name) && kind === 'ServiceAccount') return 'Deployer';
  if (kind === 'Group' && groups.some((group) => group.name === name)) return 'Group';
  // The prefix is a setting of Chandlery where the project names none.
  if (kind === 'Group' && projects.some((project) => name.endsWith(ciGroup(project.prefix ?? '', project)))) return 'Project';
  const { namespace: own = environment.metadata.name } = specOf(ENVIRONMENT_KIND, environment);
  return kind === 'ServiceAccount' && namespace === own ? 'ServiceAccount' : 'Subject';
}

const MAX_ENTRIES = 500;
const MAX_PEOPLE = 50;

/** Names only. */
async function recentPeople(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  environment: string,
): Promise<EnvironmentMembers['recent'] | undefined> {
  try {
    const { entries } = await listAuditEvents(ports, actor, { person: '', environment, text: '', limit: MAX_ENTRIES });
    const latest = new Map(entries.toReversed().map(({ user, time }) => [user, time]));
    return [...latest]
      .map(([user, lastSeen]) => ({ user, lastSeen }))
      .sort((a, b) => b.lastSeen.localeCompare(a.lastSeen))
      .slice(0, MAX_PEOPLE);
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return undefined;
    throw error;
  }
}
