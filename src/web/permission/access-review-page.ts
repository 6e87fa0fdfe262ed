import { Router } from 'express';
import { type FieldFault, isAppError } from '../../domain/core/errors.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Operations } from '../../operation/operations.ts';
import type { AccessQuery, AccessReview } from '../../operation/permission/review-access.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { ACCESS_REVIEW_PATH, environmentPath } from '../page/paths.ts';
import { kindWords, subjectName } from './permission-routes.ts';

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
