import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { ROUTES } from '../../src/api/routes.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { createWebRouter } from '../../src/web/router.ts';
import type { WebDeps } from '../../src/web/page/page.ts';
import { at, objectAt, textAt } from '../../src/domain/core/read.ts';
import { eventually } from '../support/eventually.ts';
import { callsInNamespace } from '../support/audit.ts';
import type { Attack, Pace } from './attack.ts';
import { type Access, PAGE_ACCESS, ROUTE_ACCESS } from './matrix-access.ts';
import { CI_AUDIENCE, JOB_CLAIMS } from '../support/ci-issuer.ts';
import {
  ARCHIVE,
  DEFINITION,
  kubeOf,
  makePrey,
  type MatrixTarget,
  OPERATOR,
  PREY,
  type Prey,
  RELEASE,
  SPARE,
  SPARE_SPEC,
} from './matrix-prey.ts';
import { ATTACKED, PROJECT } from './people.ts';

// Every route of the API and every page, as everybody there is: what is expected, and what comes.

// The token of `stranger` has no groups; `rival` is a maintainer elsewhere; `job` is a CI job with the role of a developer, and a token of its own issuer.
const ACTORS = ['anonymous', 'stranger', 'outsider', 'viewer', 'developer', 'maintainer', 'rival', 'job', 'admin'] as const;
type MatrixActor = (typeof ACTORS)[number];

/** `Reached`: the request got past all permissions, so an answer that finds its content wrong counts, too. */
type Outcome = 'SignIn' | 'Denied' | 'Reached';

interface Endpoint {
  readonly what: string;
  readonly access: Access;
  readonly method: string;
  readonly path: string;
  /** The operationId of a route of the API; undefined of a page. */
  readonly operationId?: string;
}

/** The ids of the requests that were made, by which the audit log of the api-server names what each of them took. */
const requestIds = new Set<string>();
const cells: { readonly endpoint: Endpoint; readonly outcomes: Readonly<Record<MatrixActor, number>> }[] = [];

export const attacks: readonly Attack[] = [
  {
    title: 'everybody tries every route of the API and every page: who may is let through, who may not is not',
    run: tryEveryEndpoint,
  },
];

/** @returns how many requests it has made. @throws AssertionError with each actor who got something else than is expected. */
export async function tryEveryEndpoint(target: MatrixTarget, pace: Pace): Promise<number> {
  await using kube = kubeOf(target);
  const prey = { ...target, kube };
  await makePrey(prey);
  const spare = `/api/v1/environments/${SPARE}`;
  await eventually(async () => (await target.call('viewer', spare)).status === 200, 'a viewer sees the Environment');
  const since = (await stat(auditLog(target))).size;
  const endpoints = [...routes(), ...pages()];
  for (const endpoint of endpoints) cells.push({ endpoint, outcomes: await tryAll(prey, endpoint, pace) });
  const wrong = cells.flatMap(({ endpoint, outcomes }) =>
    ACTORS.filter((actor) => outcomes[actor] !== 0 && !isExpected(endpoint, actor, outcomes[actor])).map(
      (actor) => `${endpoint.what}: ${actor} got ${outcomes[actor]}, ${expected(endpoint.access, actor)} is expected`,
    ),
  );
  assert.deepEqual(wrong, []);
  const { bare, requests: taken, count } = await callsInNamespace(auditLog(target), ATTACKED, since);
  assert.deepEqual(bare, [], 'each call of Chandlery in the namespace carries a user with groups');
  assert.ok(count > endpoints.length, `${count} calls`);
  assert.deepEqual(
    [...taken].filter(([user, ids]) => !isActor(user) && [...ids].some((id) => requestIds.has(id))),
    [],
    'each call for a request carries the user of that request',
  );
  return endpoints.length * ACTORS.length;
}

/** What came, as statuses. */
export function report(): string {
  const line = (columns: readonly unknown[], what: string): string => `${columns.map((cell) => String(cell).padEnd(11)).join('')}${what}`;
  return ['', line(ACTORS, 'route or page'), ...cells.map(({ endpoint, outcomes }) => line(Object.values(outcomes), endpoint.what))].join(
    '\n',
  );
}

function isActor(user: string): boolean {
  return user === `ci:${PROJECT}` || ACTORS.some((actor) => user === `oidc:${actor}`);
}

function auditLog({ stateDir }: MatrixTarget): string {
  return join(stateDir, 'audit.log');
}

function routes(): Endpoint[] {
  const rows = Object.entries(ROUTE_ACCESS).flatMap(([access, ids]) =>
    ids
      .trim()
      .split(/\s+/)
      .map((id) => [id, access as Access] as const),
  );
  const access = new Map(rows);
  assert.equal(access.size, rows.length, 'a route has one access');
  assert.deepEqual(
    [...access.keys()].filter((id) => !ROUTES.some((route) => route.operationId === id)),
    [],
    'each row is a route',
  );
  assert.deepEqual(
    ROUTES.filter(({ operationId }) => !access.has(operationId)).map(({ operationId }) => operationId),
    [],
    'each route is a row',
  );
  return ROUTES.map((route) => {
    const { operationId, method, path } = route;
    const what = `${method.toUpperCase()} /api/v1${path}`;
    return {
      what,
      access: access.get(operationId) ?? 'Nobody',
      method: method.toUpperCase(),
      path: `/api/v1${path}`,
      operationId,
    };
  });
}

function pages(): Endpoint[] {
  // Routers close over their dependencies, and none of them is asked here.
  const router: unknown = createWebRouter({} as WebDeps);
  const found = new Set(routesIn(router));
  const accessOf = (what: string): Access | undefined => PAGE_ACCESS.find(([pattern]) => pattern.test(what))?.[1];
  assert.deepEqual(
    [...found].filter((what) => accessOf(what) === undefined),
    [],
    'each page has a row',
  );
  return [...found].map((what) => {
    const access = accessOf(what) ?? 'Nobody';
    const [method = '', path = ''] = what.split(' ');
    return { what, access, method, path };
  });
}

/** `GET /apps/:app` of each route of an Express router, and of the routers in it. */
function routesIn(router: unknown): string[] {
  const stack = (router as { readonly stack?: readonly unknown[] }).stack ?? [];
  return stack.flatMap((layer) => {
    const path = at(layer, 'route', 'path');
    const methods = Object.keys(objectAt(layer, 'route', 'methods') ?? {}).map((method) => method.toUpperCase());
    const paths = (Array.isArray(path) ? path : [path]).filter((one) => typeof one === 'string' && one !== '/pictures/:signature/:address');
    const own = paths.flatMap((one) => methods.map((method) => `${method} ${String(one)}`));
    return [...own, ...routesIn((layer as { readonly handle?: unknown }).handle ?? {})];
  });
}

/** A form that is not filled in may be rejected before anybody asks for permissions. */
function isExpected({ access, operationId, method }: Endpoint, actor: MatrixActor, status: number): boolean {
  const wanted = expected(access, actor);
  const isEmptyForm = operationId === undefined && method === 'POST' && wanted === 'Denied';
  return outcomeOf(status) === wanted || (isEmptyForm && (status === 409 || status === 422));
}

function expected(access: Access, actor: MatrixActor): Outcome {
  if (access === 'Public') return 'Reached';
  if (actor === 'anonymous') return 'SignIn';
  return LETS[access].includes(actor) ? 'Reached' : 'Denied';
}

const LETS: Readonly<Record<Exclude<Access, 'Public'>, readonly MatrixActor[]>> = {
  Nobody: [],
  Everybody: ACTORS,
  Person: ACTORS.filter((actor) => actor !== 'job'),
  Viewer: ['viewer', 'developer', 'maintainer', 'job'],
  ViewerOrAdmin: ['viewer', 'developer', 'maintainer', 'job', 'admin'],
  Developer: ['developer', 'maintainer', 'job'],
  Admin: ['admin'],
};

/** A form that may be sent is not: the API tries the same, with a body that fits. */
function isAsked({ method, operationId, access }: Endpoint, actor: MatrixActor): boolean {
  return operationId !== undefined || method === 'GET' || expected(access, actor) !== 'Reached';
}

function outcomeOf(status: number): Outcome | number {
  if (status === 401 || status === 302) return 'SignIn';
  if (status === 403 || status === 404) return 'Denied';
  return status < 300 || status === 303 || status === 409 || status === 412 || status === 422 ? 'Reached' : status;
}

/** In a quick run, of each access those whom it just lets in, and those whom it just keeps out. */
const QUICK: Readonly<Record<Access, readonly MatrixActor[]>> = {
  Public: ['anonymous'],
  Nobody: ['anonymous', 'admin'],
  Everybody: ['anonymous', 'stranger'],
  Person: ['anonymous', 'stranger', 'job'],
  Viewer: ['anonymous', 'viewer', 'rival', 'admin'],
  ViewerOrAdmin: ['anonymous', 'viewer', 'rival', 'outsider'],
  Developer: ['anonymous', 'viewer', 'developer', 'rival'],
  Admin: ['anonymous', 'maintainer', 'admin'],
};

async function tryAll(target: Prey, endpoint: Endpoint, pace: Pace): Promise<Record<MatrixActor, number>> {
  const tried = pace === 'quick' ? QUICK[endpoint.access] : ACTORS;
  const ask = async (actor: MatrixActor): Promise<[MatrixActor, number]> => {
    const status = tried.includes(actor) && isAsked(endpoint, actor) ? await tryOne(target, endpoint, actor) : 0;
    return [actor, status];
  };
  // Who only looks is in nobody's way.
  const outcomes = await pMap(ACTORS, ask, { concurrency: endpoint.method === 'GET' ? ACTORS.length : 1 });
  return Object.fromEntries(outcomes) as Record<MatrixActor, number>;
}

async function tryOne(target: Prey, endpoint: Endpoint, actor: MatrixActor): Promise<number> {
  const id = /\{id\}|:id/.test(endpoint.path) ? await idFor(target, endpoint, actor) : '';
  const body = endpoint.operationId === undefined ? undefined : await bodyFor(target, endpoint.operationId, { id, actor });
  const init = {
    method: endpoint.method,
    headers: {
      accept: endpoint.operationId === undefined ? 'text/html' : 'application/json',
      ...(await credentialsOf(target, actor)),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: stringifyJson(body) }),
  };
  const leaving = new AbortController();
  const url = `${target.origin}${pathOf(endpoint, id)}`;
  const { status, headers } = await fetch(url, { ...init, redirect: 'manual', signal: leaving.signal });
  requestIds.add(headers.get('x-request-id') ?? '');
  // The rest of a live stream never comes.
  leaving.abort();
  if (endpoint.method !== 'GET' && status < 300) await makePrey(target);
  return status;
}

async function credentialsOf(target: MatrixTarget, actor: MatrixActor): Promise<Record<string, string>> {
  if (actor === 'anonymous') return {};
  const claims = { ...JOB_CLAIMS, sub: `project_path:${PROJECT}`, project_path: PROJECT, aud: CI_AUDIENCE };
  return { authorization: `Bearer ${actor === 'job' ? await target.ci.sign(claims) : await target.token(actor)}` };
}

const APP = 'caches.samples.chandlery.dev';
const DRAFT = { environment: ATTACKED, app: APP, name: 'asked-for', spec: {}, message: 'please' };
let requests = 0;
const TOKEN = { name: 'matrix' };
const REGISTRATION_TOKEN = { name: 'matrix', names: 'registered-*' };
const SAVED = { app: APP, title: 'mine', values: { spec: { replicas: 1 } } };
const BODIES: Readonly<Record<string, unknown>> = {
  createEnvironment: { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'made-by-matrix' }, spec: {} },
  updateEnvironment: { spec: { displayName: 'Attacked' } },
  replaceEnvironment: { spec: SPARE_SPEC },
  createInstance: { app: APP, name: 'made-by-matrix', spec: {} },
  updateInstance: { spec: { replicas: 2 } },
  replaceInstance: { spec: { replicas: 2 } },
  rollbackInstance: {},
  copyInstance: { environment: ATTACKED, name: 'copied-by-matrix' },
  promoteInstance: { environment: ATTACKED },
  reviewAccess: { user: 'oidc:ada', groups: ['oidc:team-a'], verb: 'get', resource: 'pods' },
  revealValue: { path: 'spec.replicas' },
  revealConnectionKey: { key: 'password' },
  scaleResource: { replicas: 2 },
  reportDeployment: { target: PREY },
  createAccessToken: TOKEN,
  createRegistrationToken: REGISTRATION_TOKEN,
  registerEnvironment: { name: 'registered-by-matrix' },
  createChangeRequest: DRAFT,
  declineChangeRequest: { reason: 'no' },
  saveConfiguration: SAVED,
  changeSavedConfiguration: { title: 'still mine' },
  createOperator: { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', ...OPERATOR },
  createAppDefinition: DEFINITION,
  uploadChart: { archive: 'bm8gY2hhcnQ=' },
  createSource: {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: PREY },
    spec: { folder: { path: '/srv' } },
  },
  previewUpgradeWithValues: { values: {} },
  approveUpgrade: { version: '9.9.9', digest: `sha256:${'0'.repeat(64)}` },
  approvePrune: { revision: 'x' },
  confirmOrigin: { origin: '/x' },
  keepResource: { resource: 'Operator default/x' },
  proposeSourceRollback: { revision: '9f2c4a1' },
};

/** An approval names what its approver has read. */
async function bodyFor(target: MatrixTarget, operationId: string, { id, actor }: { id: string; actor: MatrixActor }): Promise<unknown> {
  if (operationId === 'rollbackInstance') await reviseInstance(target);
  if (operationId === 'revealConnectionKey') await untilConnected(target);
  if (operationId !== 'approveChangeRequest') return BODIES[operationId];
  const { json } = await target.call('anonymous', `/api/v1/change-requests/${id}`, { headers: await credentialsOf(target, actor) });
  return { digest: textAt(json, 'digest') ?? '' };
}

const INSTANCE = `/api/v1/environments/${ATTACKED}/instances/${APP}/${PREY}`;

/** Only what was changed can go back. */
async function reviseInstance(target: MatrixTarget): Promise<void> {
  const body = { spec: { replicas: 2 + ((requests += 1) % 3) } };
  const { status } = await target.call('developer', INSTANCE, { method: 'PATCH', body });
  assert.equal(status, 200);
}

/** Its operator makes the Secret a moment after the instance was made anew. */
async function untilConnected(target: MatrixTarget): Promise<void> {
  const reveal = { method: 'POST', body: BODIES['revealConnectionKey'] };
  const address = `${INSTANCE}/connection/revealed-keys`;
  await eventually(async () => (await target.call('developer', address, reveal)).status === 200, 'there is a password');
}

function pathOf({ path, operationId = '' }: Endpoint, id: string): string {
  const resource = /pod|evict/i.test(`${path} ${operationId}`)
    ? 'pods'
    : /cron|jobs|run|suspend|resume/i.test(`${path} ${operationId}`)
      ? 'cronjobs.batch'
      : 'deployments.apps';
  const values: Record<string, string> = {
    environment: /^(update|replace|delete|keep)Environment$/.test(operationId) ? SPARE : ATTACKED,
    app: APP,
    kind: 'cache',
    chart: ARCHIVE.metadata.name,
    namespace: 'chandlery-system',
    name: path.includes('/releases/') ? RELEASE : PREY,
    resource: path.includes('/choices/') ? 'configmaps' : resource,
    id,
  };
  return path.replaceAll(/[{:](\w+)\}?/g, (_match, key: string) => values[key] ?? PREY);
}

/** The id of a saved configuration of the actor, or of a request: one's own to read and withdraw, somebody else's to decide about. */
async function idFor(target: MatrixTarget, { path, operationId = '' }: Endpoint, actor: MatrixActor): Promise<string> {
  const isDecided = operationId.startsWith('approve') || operationId.startsWith('decline');
  const other = actor === 'viewer' ? 'developer' : 'viewer';
  const maker = isDecided || actor === 'anonymous' ? other : actor;
  const [address, body] = path.includes('change-requests')
    ? ['/api/v1/change-requests', { ...DRAFT, name: `asked-for-${(requests += 1)}` }]
    : path.includes('registration-tokens')
      ? ['/api/v1/registration-tokens', REGISTRATION_TOKEN]
      : path.includes('tokens')
        ? ['/api/v1/me/tokens', TOKEN]
        : ['/api/v1/saved-configurations', SAVED];
  const { json } = await target.call('anonymous', address, { method: 'POST', body, headers: await credentialsOf(target, maker) });
  const created = ['savedConfiguration', 'accessToken', 'registrationToken'].map((key) => textAt(json, key, 'id'));
  return textAt(json, 'id') ?? created.find((one) => one !== undefined) ?? 'none';
}
