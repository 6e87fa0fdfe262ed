import { Router } from 'express';
import type { Page } from '../../domain/core/page-by-key.ts';
import type { BoundSubject } from '../../domain/permission/grants.ts';
import type { EnvironmentMembers, Member } from '../../operation/permission/list-members.ts';
import type { EnvironmentPermissionList, InstallPermission } from '../../operation/permission/list-permissions.ts';
import { type EnvironmentRow, environmentRow } from '../environment/environment-page.ts';
import { type EnvironmentTab, environmentTabs } from '../environment/environment-tabs.ts';
import { type Badge, tierBadge } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { page, type WebDeps } from '../page/page.ts';
import { environmentMembersPath, appPath, environmentPath, installPath, PERMISSIONS_PATH } from '../page/paths.ts';

/** A view of `environments/members`. */
export interface MembersPage {
  readonly environment: EnvironmentRow;
  readonly tabs: readonly EnvironmentTab[];
  readonly members: readonly MemberRow[];
  readonly recent: readonly { readonly user: string; readonly lastSeen: string }[];
  /** Whether the reader may read the audit log at all. */
  readonly knowsRecent: boolean;
  readonly missing: string;
  readonly jsonHref: string;
}

interface MemberRow {
  readonly kind: string;
  readonly name: string;
  readonly role: string;
  readonly origin: string;
  /** For a binding that Chandlery did not make. */
  readonly foreign?: Badge;
  readonly binding: string;
}

/** The tab Members of an environment. */
export function membersRoutes({ operations, ...deps }: WebDeps): Router {
  const router = Router();
  router.get(
    '/environments/:environment/members',
    page({ operations, ...deps }, async ({ actor, param }) => {
      const model = membersPage(await operations.listMembers(actor, param('environment')));
      const { href, displayName: label } = model.environment;
      const crumbs = [{ label: 'Environments', href: '/environments' }, { label, href }, { label: 'Members' }];
      return { view: 'environments/members', title: `Members of ${label}`, section: 'environments', crumbs, model };
    }),
  );
  return router;
}

function membersPage({ environment, members, recent, missing }: EnvironmentMembers): MembersPage {
  return {
    environment: environmentRow(environment),
    tabs: environmentTabs(environment.name, 'members'),
    members: members.map(memberRow),
    recent: recent ?? [],
    knowsRecent: recent !== undefined,
    missing: missing === undefined ? '' : missingSentence(missing),
    jsonHref: `/api/v1${environmentMembersPath(environment.name)}`,
  };
}

const ORIGINS: Readonly<Record<Member['origin'], string>> = {
  Group: 'spec.groups',
  Subject: 'spec.subjects',
  Project: 'spec.projects',
  ServiceAccount: 'spec.serviceAccounts',
  Deployer: '',
  Other: '',
};

function memberRow({ subject, roleName, origin, managed, binding, bindingKind }: Member): MemberRow {
  return {
    kind: kindWords(subject),
    name: subjectName(subject),
    role: roleName,
    origin: ORIGINS[origin],
    ...(managed ? {} : { foreign: { label: 'Not made by Chandlery', tone: 'warn', symbol: 'warn' } }),
    binding: `${bindingKind} ${binding}`,
  };
}

/** `ci/deploy` for a ServiceAccount. */
export function subjectName({ name, namespace }: BoundSubject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The kind of a subject in a sentence. */
export function kindWords({ kind }: Pick<BoundSubject, 'kind'>): string {
  return kind === 'ServiceAccount' ? 'Service account' : kind;
}

/** Environments on one page; each takes three calls of the api-server. */
const ENVIRONMENTS_A_PAGE = 20;

/** A view of `account/permissions`. */
interface PermissionsPage {
  readonly user: string;
  readonly groups: readonly string[];
  readonly total: number;
  readonly environments: readonly EnvironmentSection[];
  readonly nextHref: string;
  readonly firstHref: string;
  readonly jsonHref: string;
}

interface EnvironmentSection {
  readonly id: string;
  readonly displayName: string;
  readonly href: string;
  readonly tier: Badge;
  readonly namespace: string;
  readonly roles: readonly { readonly role: string; readonly by: string; readonly foreign: boolean }[];
  readonly apps: readonly AppRow[];
  readonly missing: readonly string[];
}

interface AppRow {
  readonly name: string;
  readonly href: string;
  readonly verdict: Badge;
  readonly installHref: string;
  readonly reasons: readonly string[];
  /** What would grant the permission; empty when it is there. */
  readonly role: string;
  readonly kubectl: string;
}

/** My permissions: roles in each environment, and what can be installed there. */
export function permissionsRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    PERMISSIONS_PATH,
    page(deps, async ({ actor, query }) => {
      const after = query.get('after') ?? '';
      const found = await deps.operations.listPermissions(actor, { limit: ENVIRONMENTS_A_PAGE, ...(after === '' ? {} : { after }) });
      const model = { ...permissionsPage(found, after), user: actor.user, groups: actor.groups };
      return { view: 'account/permissions', title: 'My permissions', section: 'none', model };
    }),
  );
  return router;
}

type Found = Page<EnvironmentPermissionList> & { readonly total: number };

function permissionsPage({ items, next, total }: Found, after: string): Omit<PermissionsPage, 'user' | 'groups'> {
  return {
    total,
    environments: items.map(sectionOf),
    nextHref: next === undefined ? '' : `${PERMISSIONS_PATH}?after=${encodeURIComponent(next)}`,
    firstHref: after === '' ? '' : PERMISSIONS_PATH,
    jsonHref: `/api/v1/me/permissions${after === '' ? '' : `?after=${encodeURIComponent(after)}`}`,
  };
}

function sectionOf({ environment, displayName, namespace, tier, roles, apps, missing }: EnvironmentPermissionList): EnvironmentSection {
  return {
    id: `environment-${environment}`,
    displayName,
    href: environmentPath(environment),
    tier: tierBadge(tier),
    namespace,
    roles: roles.map(({ role, subject, managed }) => ({
      role,
      by: `${kindWords(subject).toLowerCase()} ${subjectName(subject)}`,
      foreign: !managed,
    })),
    apps: apps.map((app) => appRow(app, environment)),
    missing: missing.map(missingSentence),
  };
}

function appRow({ app, appName, allowed, obstacles, remedy }: InstallPermission, environment: string): AppRow {
  return {
    name: appName,
    href: appPath(app),
    verdict: allowed ? { label: 'Yes', tone: 'good', symbol: 'check' } : { label: 'No', tone: 'idle', symbol: 'lock' },
    installHref: allowed ? installPath(app, environment) : '',
    reasons: obstacles.map(({ message }) => `${message}.`.replace(/\.\.$/, '.')),
    role: remedy?.role ?? '',
    kubectl: remedy?.kubectl ?? '',
  };
}
