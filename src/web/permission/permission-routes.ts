import { Router } from 'express';
import { type FieldFault, isAppError } from '../../domain/core/errors.ts';
import type { Page } from '../../domain/core/page-by-key.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { BoundSubject } from '../../domain/permission/grants.ts';
import type { Operations } from '../../operation/operations.ts';
import type { EnvironmentMembers, Member } from '../../operation/permission/list-members.ts';
import type { EnvironmentPermissionList, InstallPermission } from '../../operation/permission/list-permissions.ts';
import type { AccessQuery, AccessReview } from '../../operation/permission/review-access.ts';
import { type EnvironmentRow, environmentRow } from '../environment/environment-page.ts';
import { type EnvironmentTab, environmentTabs } from '../environment/environment-parts.ts';
import { type Badge, tierBadge } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { ACCESS_REVIEW_PATH, appPath, environmentMembersPath, environmentPath, installPath, PERMISSIONS_PATH } from '../page/paths.ts';

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
function subjectName({ name, namespace }: BoundSubject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The kind of a subject in a sentence. */
function kindWords({ kind }: Pick<BoundSubject, 'kind'>): string {
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

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const MAX_PEOPLE = 10;
const MAX_ENTRIES = 200;

/** A view of `permissions/access-review`. */
export interface AccessReviewPage {
  readonly action: string;
  readonly user: string;
  /** One on a line. */
  readonly groups: string;
  readonly verbs: readonly { readonly verb: string; readonly selected: boolean }[];
  readonly resource: string;
  /** What the field for the resource suggests. */
  readonly resources: readonly string[];
  readonly name: string;
  readonly environments: readonly { readonly name: string; readonly displayName: string; readonly selected: boolean }[];
  readonly people: readonly { readonly user: string; readonly href: string }[];
  readonly errors: readonly { readonly message: string; readonly href: string }[];
  readonly answer?: AccessAnswer;
}

interface AccessAnswer {
  readonly tone: 'good' | 'warn';
  readonly symbol: string;
  readonly title: string;
  readonly text: string;
  readonly grants: readonly { readonly binding: string; readonly subject: string; readonly role: string; readonly allows: string }[];
  /** What would allow it, the least first. */
  readonly advice: readonly string[];
  readonly environmentHref: string;
  readonly remedy?: { readonly role: string; readonly yaml: string; readonly kubectl: string };
  readonly limits: readonly string[];
  readonly kubectl: string;
  readonly missing: readonly string[];
}

/** Why somebody may do something, or not: a form whose address holds the question. */
export function accessReviewRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ACCESS_REVIEW_PATH,
    page(deps, async (visit) => await show(deps.operations, visit)),
  );
  return router;
}

async function show(operations: Operations, { actor, query }: Visit): Promise<Answer> {
  const question = parseQuery(query);
  const [environments, people, apps, reviewed] = await Promise.all([
    operations.listEnvironments(actor),
    recentPeople(operations, actor),
    operations.listApps(actor, { search: '', category: [], provider: [], availability: [] }),
    query.has('user') ? review(operations, actor, question) : undefined,
  ]);
  const faults = reviewed !== undefined && 'faults' in reviewed ? reviewed.faults : [];
  const answer = reviewed !== undefined && 'review' in reviewed ? { answer: answerOf(reviewed.review, question) } : {};
  const resources = [
    ...apps.apps.map(({ id }) => id),
    'pods',
    'pods/log',
    'secrets',
    'deployments.apps',
    'rolebindings.rbac.authorization.k8s.io',
  ];
  const model: AccessReviewPage = { ...formOf(question, { environments, people, resources }), errors: faults.map(errorOf), ...answer };
  return {
    view: 'permissions/access-review',
    title: `${faults.length > 0 ? 'Error: ' : ''}Access review`,
    section: 'none',
    model,
    ...(faults.length > 0 ? { status: 422 } : {}),
  };
}

function parseQuery(query: URLSearchParams): AccessQuery {
  const text = (key: string): string => (query.get(key) ?? '').trim();
  const groups = query.getAll('groups').flatMap((value) => value.split(/\r?\n/).map((line) => line.trim()));
  return {
    user: text('user'),
    groups: groups.filter((group) => group !== ''),
    verb: text('verb') || 'create',
    resource: text('resource'),
    ...(text('name') === '' ? {} : { name: text('name') }),
    ...(text('environment') === '' ? {} : { environment: text('environment') }),
  };
}

async function review(
  operations: Operations,
  actor: Actor,
  question: AccessQuery,
): Promise<{ readonly review: AccessReview } | { readonly faults: readonly FieldFault[] }> {
  try {
    return { review: await operations.reviewAccess(actor, question) };
  } catch (error) {
    if (!isAppError(error, 'InvalidInput')) throw error;
    return { faults: error.faults };
  }
}

function errorOf({ field = 'user', message }: FieldFault): AccessReviewPage['errors'][number] {
  return { message, href: `#${field}` };
}

interface Person {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Those who acted last through Chandlery, for whoever may read the audit log. */
async function recentPeople(operations: Operations, actor: Actor): Promise<readonly Person[]> {
  try {
    const { entries } = await operations.listAuditEvents(actor, { person: '', environment: '', text: '', limit: MAX_ENTRIES });
    const latest = new Map(entries.toReversed().map(({ user, groups }) => [user, groups]));
    return [...latest].map(([user, groups]) => ({ user, groups })).slice(-MAX_PEOPLE);
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return [];
    throw error;
  }
}

interface FormChoices {
  readonly environments: readonly EnvironmentView[];
  readonly people: readonly Person[];
  readonly resources: readonly string[];
}

function formOf(question: AccessQuery, { environments, people, resources }: FormChoices): Omit<AccessReviewPage, 'errors' | 'answer'> {
  const { user, groups, verb, resource, name = '', environment = '' } = question;
  return {
    action: ACCESS_REVIEW_PATH,
    user,
    groups: groups.join('\n'),
    verbs: VERBS.map((one) => ({ verb: one, selected: one === verb })),
    resource,
    resources,
    name,
    environments: environments.map((one) => ({ name: one.name, displayName: one.displayName, selected: one.name === environment })),
    people: people.map((person) => ({ user: person.user, href: hrefFor(person, question) })),
  };
}

function hrefFor({ user, groups }: Person, { verb, resource, name = '', environment = '' }: AccessQuery): string {
  const query = new URLSearchParams({ user, groups: groups.join('\n'), verb, resource, name, environment });
  return `${ACCESS_REVIEW_PATH}?${query.toString()}`;
}

function answerOf(found: AccessReview, { user, environment }: AccessQuery): AccessAnswer {
  const { allowed, reason, permission, grants, role, remedy, limits, kubectl, missing } = found;
  const { verb, resource, group, namespace } = permission;
  const what = `${verb} ${resource}${group === '' ? '' : `.${group}`} ${namespace === undefined ? 'in the whole cluster' : `in the namespace ${namespace}`}`;
  return {
    tone: allowed ? 'good' : 'warn',
    symbol: allowed ? 'check' : 'lock',
    title: `${user} may ${allowed ? '' : 'not '}${what}`,
    text: reason === '' && !allowed ? 'No rule of RBAC allows it.' : reason,
    grants: grants.map(({ binding, bindingKind, subject, roleName, allows }) => ({
      binding: `${bindingKind} ${binding}`,
      subject: `${kindWords(subject)} ${subjectName(subject)}`,
      role: roleName,
      allows: allows === undefined ? 'not readable' : allows ? 'has a rule for it' : 'has no rule for it',
    })),
    advice:
      role === undefined
        ? []
        : [
            `The role ${role} of the environment has a rule for it. Whoever may update the Environment can give it to ${user} or one of the groups.`,
          ],
    environmentHref: role === undefined || environment === undefined ? '' : `${environmentPath(environment)}/edit`,
    ...(remedy === undefined ? {} : { remedy: { role: remedy.role, yaml: remedy.yaml, kubectl: remedy.kubectl } }),
    limits: allowed ? limits : [],
    kubectl,
    missing: missing.map(missingSentence),
  };
}
