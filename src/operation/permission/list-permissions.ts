import pMap from 'p-map';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { type Page, pageByKey } from '../../domain/core/page-by-key.ts';
import type { AppSummary } from '../../domain/app/app.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { allowedAppsSentence, isAppAllowed } from '../../domain/environment/allowed-apps.ts';
import { quotaUses } from '../../domain/environment/quota-use.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { RESOURCE_QUOTA } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type BoundSubject, isAllowedBy, isSubject, roleWords } from '../../domain/permission/grants.ts';
import { readNamespaceRules } from '../../domain/permission/namespace-rules.ts';
import type { Remedy } from '../../domain/preflight/findings.ts';
import { remedyFor } from '../../domain/preflight/remedy.ts';
import { entriesFor } from '../app/find-app.ts';
import { listEnvironments } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';
import { listGrants } from './list-members.ts';

/** Why an app cannot be installed. */
export const INSTALL_OBSTACLES = ['Permission', 'AllowedApps', 'Quota', 'Environment', 'App'] as const;

/** Whether somebody can install an App in an Environment, and if not, why. */
export interface InstallPermission {
  /** The App's id. */
  readonly app: string;
  readonly appName: string;
  readonly allowed: boolean;
  readonly obstacles: readonly { readonly kind: (typeof INSTALL_OBSTACLES)[number]; readonly message: string }[];
  /** What would grant the permission, if that is missing. */
  readonly remedy?: Remedy;
}

/** What somebody may do in one Environment. */
export interface EnvironmentPermissionList {
  readonly environment: string;
  readonly displayName: string;
  readonly namespace: string;
  readonly tier: string;
  /** Their roles, each with the subject by which they have it. */
  readonly roles: readonly { readonly role: string; readonly binding: string; readonly managed: boolean; readonly subject: BoundSubject }[];
  /** By name. */
  readonly apps: readonly InstallPermission[];
  /** Without these, the roles or the quota are not known. */
  readonly missing: readonly MissingPermission[];
}

export interface PermissionQuery {
  /** Environments at most; each takes three calls. */
  readonly limit: number;
  readonly after?: string;
}

const AT_ONCE = 4;

/** What the actor may do in the Environments that they see, a page of them, asked as the actor. */
export async function listPermissions(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  query: PermissionQuery,
): Promise<Page<EnvironmentPermissionList> & { readonly total: number }> {
  const all = await listEnvironments(ports, actor);
  const page = pageByKey(all, ({ name }) => name, query);
  const apps = entriesFor(ports, actor)
    .map(({ summary }) => summary)
    .sort((a, b) => a.displayName.localeCompare(b.displayName) || a.id.localeCompare(b.id));
  const items = await pMap(page.items, async (environment) => await permissionsIn(ports, actor, { environment, apps }), {
    concurrency: AT_ONCE,
  });
  return { ...page, items, total: all.length };
}

interface InstallPlace {
  readonly environment: EnvironmentView;
  readonly apps: readonly AppSummary[];
}

async function permissionsIn(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  { environment, apps }: InstallPlace,
): Promise<EnvironmentPermissionList> {
  const { name, displayName, namespace, tier } = environment;
  const cluster = ports.clusters.asActor(actor);
  const [bound, rules, quotas] = await Promise.all([
    listGrants(ports, actor, namespace),
    readNamespaceRules(cluster, namespace),
    readQuotas(cluster, namespace),
  ]);
  const grants = 'grants' in bound ? bound.grants.filter(({ subject }) => isSubject(subject, actor)) : [];
  const judge = async (app: AppSummary): Promise<InstallPermission> => {
    const permission = { verb: 'create', group: app.group, resource: app.plural, namespace };
    const may = isAllowedBy(rules.resourceRules, permission) || (!rules.complete && (await cluster.review(permission)).allowed);
    const obstacles = [...(may ? [] : [lacks(app, namespace)]), ...obstaclesBeside(app, environment, quotas.items)];
    const remedy = may ? {} : { remedy: remedyFor({ user: actor.user, permission, apps: new Set([app.id]) }) };
    return { app: app.id, appName: app.displayName, allowed: obstacles.length === 0, obstacles, ...remedy };
  };
  return {
    environment: name,
    displayName,
    namespace,
    tier,
    roles: grants.map(({ binding, managed, subject, ...grant }) => ({ role: roleWords(grant), binding, managed, subject })),
    apps: await pMap(apps, judge, { concurrency: AT_ONCE }),
    missing: [...('missing' in bound ? [bound.missing] : []), ...quotas.missing],
  };
}

type Obstacle = InstallPermission['obstacles'][number];

function lacks({ group, plural }: AppSummary, namespace: string): Obstacle {
  return { kind: 'Permission', message: `The permission to create ${plural}.${group} in the namespace ${namespace} is missing` };
}

/** What stands against an installation whoever asks for it. */
function obstaclesBeside(app: AppSummary, environment: EnvironmentView, quotas: readonly KubeObject[]): Obstacle[] {
  const full = quotaUses(quotas).filter(({ share = 0, resource, scopes }) => {
    const counts = resource === `count/${app.plural}.${app.group}` || resource === 'pods' || resource === 'count/pods';
    return share >= 1 && counts && scopes.length === 0;
  });
  const quota = full.map(({ resource, hard, used = hard }): Obstacle => {
    return { kind: 'Quota', message: `The quota of ${resource} is used up: ${used} of ${hard}` };
  });
  const ready: Obstacle[] = environment.ready
    ? []
    : [{ kind: 'Environment', message: `The environment is not ready: ${environment.message}` }];
  const offered: Obstacle[] =
    app.availability === 'Available'
      ? []
      : [{ kind: 'App', message: app.availabilityMessage || `The app is ${app.availability.toLowerCase()}` }];
  const sentence = environment.allowedApps === undefined ? '' : allowedAppsSentence(environment.allowedApps);
  const denied: Obstacle[] = isAppAllowed(environment.allowedApps, app)
    ? []
    : [{ kind: 'AllowedApps', message: `The environment does not allow the app. Allowed apps: ${sentence}` }];
  return [...denied, ...quota, ...ready, ...offered];
}

async function readQuotas(
  cluster: Pick<Cluster, 'list'>,
  namespace: string,
): Promise<{ readonly items: readonly KubeObject[]; readonly missing: readonly MissingPermission[] }> {
  try {
    return { items: (await cluster.list(RESOURCE_QUOTA, { namespace })).items, missing: [] };
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return { items: [], missing: [{ verb: 'list', group: '', resource: RESOURCE_QUOTA.resource, namespace }] };
  }
}
