import { Router } from 'express';
import type { Page } from '../../domain/core/page-by-key.ts';
import type { EnvironmentPermissionList, InstallPermission } from '../../operation/permission/list-permissions.ts';
import { type Badge, tierBadge } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { page, type WebDeps } from '../page/page.ts';
import { appPath, environmentPath, installPath, PERMISSIONS_PATH } from '../page/paths.ts';
import { kindWords, subjectName } from './members-page.ts';

/** Environments on one page; each takes three calls of the api-server. */
const ENVIRONMENTS_A_PAGE = 20;

/** A view of `account/permissions`. */
export interface PermissionsPage {
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
