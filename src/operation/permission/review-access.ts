import pMap from 'p-map';
import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { booleanAt, listAt, textAt } from '../../domain/core/read.ts';
import { ENVIRONMENT_ROLES, type EnvironmentRole } from '../../domain/environment/environment-kind.ts';
import { quoted } from '../../domain/instance/instance-commands.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, permissionTo, ROLE, SUBJECT_ACCESS_REVIEW } from '../../domain/kubernetes/resource-types.ts';
import { type AskedPermission, type Grant, grantsOf, isAllowedBy, isSubject, roleWords } from '../../domain/permission/grants.ts';
import type { Remedy } from '../../domain/preflight/findings.ts';
import { remedyFor } from '../../domain/preflight/remedy.ts';
import { catalogEntries } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';
import { listGrants } from './list-members.ts';

/** Who, what and where an admin asks about. */
export interface AccessQuery {
  readonly user: string;
  /** As the api-server sees them, with their prefixes. */
  readonly groups: readonly string[];
  readonly verb: string;
  /** Plural and group, with a subresource: `caches.samples.chandlery.dev`, `pods/log`, `deployments.apps/scale`. */
  readonly resource: string;
  readonly name?: string;
  /** Absent: in the whole cluster. */
  readonly environment?: string;
}

/** A binding that names the person or one of their groups. */
export interface AppliedGrant extends Grant {
  readonly roleName: string;
  /** Whether its role has a rule for what was asked; absent for a role that the actor may not read. */
  readonly allows?: boolean;
}

/** Whether somebody may do something, and why. */
export interface AccessReview {
  readonly allowed: boolean;
  /** The reason that the api-server gives; empty when it gives none. */
  readonly reason: string;
  readonly permission: MissingPermission;
  /** The bindings that apply, those that allow it first. */
  readonly grants: readonly AppliedGrant[];
  /** The least role of an Environment that would allow it; absent outside of one, or when none does. */
  readonly role?: EnvironmentRole;
  /** What would grant it; absent when it is allowed. */
  readonly remedy?: Remedy;
  /** What may still reject it: RBAC is not the last to decide. */
  readonly limits: readonly string[];
  readonly kubectl: string;
  /** Without these, some bindings are not known. */
  readonly missing: readonly MissingPermission[];
}

/**
 * Asks the api-server whether somebody may do something, by SubjectAccessReview as the actor, and looks for the bindings that decide.
 *
 * @throws AppError `Forbidden` without the permission to create SubjectAccessReviews; `InvalidInput` for a query without a user, a verb or a resource.
 */
export async function reviewAccess(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, query: AccessQuery): Promise<AccessReview> {
  const asked = parseQuery(query);
  const environment = query.environment === undefined ? undefined : await findEnvironment(ports.clusters, actor, query.environment);
  const namespace = environment?.namespace;
  const cluster = ports.clusters.asActor(actor);
  const person = { user: query.user.trim(), groups: query.groups };
  const permission: MissingPermission = { ...asked, ...(namespace === undefined ? {} : { namespace }) };
  const status = await ask(cluster, person, permission);
  const [found, role] = await Promise.all([
    appliedGrants(ports, actor, { person, asked, namespace }),
    status.allowed || namespace === undefined ? undefined : leastRole(cluster, asked),
  ]);
  const apps = new Set(catalogEntries(ports).map(({ summary }) => summary.id));
  return {
    ...status,
    permission,
    ...found,
    ...(role === undefined ? {} : { role }),
    ...(status.allowed ? {} : { remedy: remedyFor({ user: person.user, permission, apps }) }),
    limits: limitsOf(asked, environment?.namespace),
    kubectl: commandOf(person, query, namespace),
  };
}

function parseQuery({ user, verb, resource, name }: AccessQuery): AskedPermission {
  const faults = [
    ...(user.trim() === '' ? [{ field: 'user', message: 'Enter a user name as the api-server sees it, for example oidc:ada' }] : []),
    ...(/^[a-z*]+$/.test(verb) ? [] : [{ field: 'verb', message: 'Enter a verb of Kubernetes, for example create' }]),
    ...(RESOURCE.test(resource) ? [] : [{ field: 'resource', message: 'Enter a plural with its group, for example deployments.apps' }]),
  ];
  const [first] = faults;
  if (first !== undefined) throw new AppError('InvalidInput', `access review: ${first.message}`, { faults });
  const [plural = '', subresource] = resource.split('/');
  const [head = '', ...group] = plural.split('.');
  const named = name === undefined || name === '' ? {} : { name };
  return { verb, group: group.join('.'), resource: subresource === undefined ? head : `${head}/${subresource}`, ...named };
}

const RESOURCE = /^[a-z0-9*-]+(\.[a-z0-9-]+)*(\/[a-z]+)?$/;

async function ask(
  cluster: Pick<Cluster, 'create'>,
  { user, groups }: Actor,
  { resource, ...permission }: MissingPermission,
): Promise<Pick<AccessReview, 'allowed' | 'reason'>> {
  const [plural = '', subresource] = resource.split('/');
  const resourceAttributes = { ...permission, resource: plural, ...(subresource === undefined ? {} : { subresource }) };
  const { kind } = SUBJECT_ACCESS_REVIEW;
  const spec = { user, groups: [...groups, 'system:authenticated'], resourceAttributes };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind, metadata: { name: '' }, spec };
  const { object } = await cluster.create(SUBJECT_ACCESS_REVIEW, review);
  return { allowed: booleanAt(object.status, 'allowed') === true, reason: textAt(object.status, 'reason') ?? '' };
}

interface GrantInput {
  readonly person: Actor;
  readonly asked: AskedPermission;
  readonly namespace: string | undefined;
}

/** Roles that are read for one review at most. */
const MAX_ROLES = 50;

async function appliedGrants(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  { person, asked, namespace }: GrantInput,
): Promise<Pick<AccessReview, 'grants' | 'missing'>> {
  const cluster = ports.clusters.asActor(actor);
  const [wide, own] = await Promise.all([
    clusterGrants(cluster),
    namespace === undefined ? { grants: [] } : listGrants(ports, actor, namespace),
  ]);
  const all = [wide, own].flatMap((found) => ('grants' in found ? found.grants : [])).filter(({ subject }) => isSubject(subject, person));
  const grants = await pMap(
    all.slice(0, MAX_ROLES),
    async (grant): Promise<AppliedGrant> => {
      const rules = await rulesOf(cluster, grant, namespace);
      return { ...grant, roleName: roleWords(grant), ...(rules === undefined ? {} : { allows: isAllowedBy(rules, asked) }) };
    },
    { concurrency: 4 },
  );
  return {
    grants: grants.sort((a, b) => Number(b.allows ?? false) - Number(a.allows ?? false) || a.binding.localeCompare(b.binding)),
    missing: [wide, own].flatMap((found) => ('missing' in found ? [found.missing] : [])),
  };
}

async function clusterGrants(
  cluster: Pick<Cluster, 'list'>,
): Promise<{ readonly grants: readonly Grant[] } | { readonly missing: MissingPermission }> {
  try {
    return { grants: grantsOf((await cluster.list(CLUSTER_ROLE_BINDING)).items) };
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return { missing: permissionTo('list', CLUSTER_ROLE_BINDING) };
  }
}

/** Undefined for a role that there is not, or that the actor may not read. */
async function rulesOf(
  cluster: Pick<Cluster, 'get'>,
  { roleKind, role }: Pick<Grant, 'roleKind' | 'role'>,
  namespace: string | undefined,
): Promise<readonly unknown[] | undefined> {
  const ref =
    roleKind === 'ClusterRole'
      ? { ...CLUSTER_ROLE, name: role }
      : { ...ROLE, name: role, ...(namespace === undefined ? {} : { namespace }) };
  try {
    return listAt(await cluster.get(ref), 'rules');
  } catch (error) {
    if (isAppError(error, 'Forbidden', 'NotFound')) return undefined;
    throw error;
  }
}

/** By the ClusterRoles that Kubernetes has put together for the roles of Environments. */
async function leastRole(cluster: Pick<Cluster, 'get'>, asked: AskedPermission): Promise<EnvironmentRole | undefined> {
  for (const role of ENVIRONMENT_ROLES) {
    const rules = await rulesOf(cluster, { roleKind: 'ClusterRole', role: `chandlery-${role}` }, undefined);
    if (rules !== undefined && isAllowedBy(rules, asked)) return role;
  }
  return undefined;
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', '*']);

function limitsOf({ verb }: AskedPermission, namespace: string | undefined): readonly string[] {
  if (namespace === undefined || !WRITES.has(verb)) return [];
  return [
    `The ResourceQuota and LimitRange of the namespace ${namespace}`,
    'Pod Security: pods that violate the level of the Environment are rejected',
    'Admission policies of the cluster, those of Environments included',
  ];
}

function commandOf({ user, groups }: Actor, { verb, resource, name }: AccessQuery, namespace: string | undefined): string {
  const [plural = '', subresource] = resource.split('/');
  const what = name === undefined || name === '' ? plural : `${plural}/${name}`;
  return [
    `kubectl auth can-i ${quoted(verb)} ${quoted(what)}`,
    ...(subresource === undefined ? [] : [`--subresource=${quoted(subresource)}`]),
    ...(namespace === undefined ? [] : [`--namespace ${quoted(namespace)}`]),
    `--as ${quoted(user)}`,
    ...groups.map((group) => `--as-group ${quoted(group)}`),
  ].join(' ');
}
