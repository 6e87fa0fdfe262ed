import { type RequestHandler, Router } from 'express';
import { type AppError, isAppError } from '../../domain/core/errors.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { quoted } from '../../domain/instance/instance-commands.ts';
import { RESOURCE_ACTIONS, type ResourceAction } from '../../domain/resource/resource-actions.ts';
import { type ActionResult, MAX_REPLICAS } from '../../operation/resource/act-on-resource.ts';
import type { ResourceAddress } from '../../operation/resource/find-resource.ts';
import type { ResourceView } from '../../operation/resource/show-resource.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, paramsOf, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import { environmentPath, resourcePath } from '../page/paths.ts';
import type { Crumb } from '../page/shell.ts';
import { ACTION_LABELS, addressOfView, dedicatedPath, resourceLive, resourcePage, siblingsPath } from './resource-page.ts';

export const RESOURCE_ROUTE = '/environments/:environment/resources/:resource/:name';

/** The page of any resource of an environment, and those of its actions. */
export function resourceRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    RESOURCE_ROUTE,
    page(deps, (visit) => showResource(deps, visit)),
  );
  router.get(`${RESOURCE_ROUTE}/stream`, stream(deps));
  for (const action of RESOURCE_ACTIONS) {
    router.get(
      `${RESOURCE_ROUTE}/${action}`,
      page(deps, (visit) => confirm(deps, visit, { action })),
    );
    router.post(
      `${RESOURCE_ROUTE}/${action}`,
      page(deps, (visit) => act(deps, visit, action)),
    );
  }
  return router;
}

/** The address of a resource in a request. */
export function resourceAddressOf({ param, query }: Pick<Visit, 'param'> & Partial<Pick<Visit, 'query'>>): ResourceAddress {
  const dedicatedTo = query?.get('instance') ?? '';
  const address = { environment: param('environment'), resource: param('resource'), name: param('name') };
  return { ...address, ...(dedicatedTo === '' ? {} : { dedicatedTo }) };
}

/** The way to the page of a resource, and below it. */
export function resourceCrumbs(address: ResourceAddress, environment: Pick<EnvironmentView, 'displayName'>, below?: string): Crumb[] {
  const { dedicatedTo } = address;
  const crumbs = [
    { label: 'Environments', href: '/environments' },
    { label: environment.displayName === '' ? address.environment : environment.displayName, href: environmentPath(address.environment) },
    dedicatedTo === undefined
      ? { label: 'Resources', href: siblingsPath(address) }
      : { label: dedicatedTo.split('/')[1] ?? '', href: dedicatedPath(address.environment, dedicatedTo) },
  ];
  return below === undefined
    ? [...crumbs, { label: address.name }]
    : [...crumbs, { label: address.name, href: resourcePath(address.environment, address) }, { label: below }];
}

async function showResource({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { environment, resource } = await operations.showResource(visit.actor, resourceAddressOf(visit));
  const address = addressOfView(resource, environment);
  return {
    view: 'environments/resource/show',
    title: `${resource.kind} ${resource.name}`,
    section: 'environments',
    crumbs: resourceCrumbs(address, environment),
    model: resourcePage(resource, environment, visit.query.get('done') ?? ''),
  };
}

/** Between two readings if no watch reports a change. */
const INTERVAL_MS = 8_000;

function stream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const address = resourceAddressOf({ ...paramsOf(request), query: queryOf(request) });
    await streams.answer(request, response, {
      key: request.originalUrl,
      intervalMs: INTERVAL_MS,
      reader: (actor, series) => {
        const followed = operations.follow(actor, series);
        return async () => resourceLive((await followed.showResource(actor, address)).resource, address.environment);
      },
      render: (live) => ({ html: views.render('environments/resource/live', live), status: live.health?.label ?? '' }),
    });
  };
}

interface Confirmation {
  readonly action: ResourceAction;
  readonly error?: AppError;
}

async function confirm({ operations, publicUrl }: WebDeps, visit: Visit, { action, error }: Confirmation): Promise<Answer> {
  const { environment, resource } = await operations.showResource(visit.actor, resourceAddressOf(visit));
  const address = addressOfView(resource, environment);
  const budget = action === 'evict' && error === undefined ? await budgetOn(operations, visit, resource) : undefined;
  const model = actionPage({
    action,
    resource,
    environment,
    publicUrl,
    sent: visit.body,
    ...(budget === undefined ? {} : { budget }),
    ...(error === undefined ? {} : { fault: error.faults[0]?.message ?? error.message }),
  });
  return {
    view: 'environments/resource/action',
    title: `${error === undefined ? '' : 'Error: '}${model.title}`,
    section: 'environments',
    crumbs: resourceCrumbs(address, environment, model.label),
    model,
    ...(error === undefined ? {} : { status: error.status }),
  };
}

/** What a disruption budget says to an eviction now; undefined when none is in its way. */
async function budgetOn(operations: WebDeps['operations'], visit: Visit, { actions }: ResourceView): Promise<string | undefined> {
  if (!actions.some(({ action, allowed }) => action === 'evict' && allowed)) return undefined;
  try {
    await operations.evictPod(visit.actor, { ...resourceAddressOf(visit), ...visit.requestOrigin, dryRun: 'All' });
    return undefined;
  } catch (error) {
    if (isAppError(error, 'DisruptionBudget')) return error.faults[0]?.message ?? error.message;
    throw error;
  }
}

/** What the person can put right on the page itself. */
const CORRECTABLE = ['InvalidInput', 'AlreadyExists', 'Conflict', 'DisruptionBudget', 'AdmissionDenied', 'QuotaExceeded'] as const;

async function act(deps: WebDeps, visit: Visit, action: ResourceAction): Promise<Answer> {
  const address = resourceAddressOf(visit);
  try {
    // The owner of a pod is known only while there is the pod.
    const after = action === 'evict' ? await ownerOf(deps.operations, visit) : undefined;
    await carryOut(deps.operations, visit, action);
    const path = after ?? resourcePath(address.environment, address);
    return { redirect: `${path}${path.includes('?') ? '&' : '?'}done=${action}` };
  } catch (error) {
    if (isAppError(error, ...CORRECTABLE)) return await confirm(deps, visit, { action, error });
    throw error;
  }
}

async function ownerOf(operations: WebDeps['operations'], visit: Visit): Promise<string> {
  const address = resourceAddressOf(visit);
  const { related } = (await operations.showResource(visit.actor, address)).resource;
  const owner = related.find(({ direction, resource, state }) => direction === 'Owner' && resource !== undefined && state === 'Found');
  if (owner?.resource === undefined) return siblingsPath(address);
  return resourcePath(address.environment, { ...address, resource: owner.resource, name: owner.name });
}

async function carryOut(operations: WebDeps['operations'], visit: Visit, action: ResourceAction): Promise<ActionResult> {
  const { actor, body } = visit;
  const input = { ...resourceAddressOf(visit), ...visit.requestOrigin, specVersion: body.get('specVersion') ?? '' };
  const at = new Date().toISOString();
  switch (action) {
    case 'restart':
      return await operations.restartWorkload(actor, { ...input, at });
    case 'scale':
      return await operations.scaleResource(actor, { ...input, replicas: replicasIn(body.get('replicas') ?? '') });
    case 'run':
      return await operations.runCronJob(actor, { ...input, at });
    case 'suspend':
    case 'resume':
      return await operations.suspendCronJob(actor, { ...input, suspend: action === 'suspend' });
    case 'evict':
      return await operations.evictPod(actor, input);
    default:
      return action satisfies never;
  }
}

function replicasIn(text: string): number {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN;
}

/** A view of `environments/resource/action`: what an action will do, and the button that does it. */
export interface ActionPage {
  readonly title: string;
  readonly question: string;
  readonly kind: string;
  readonly name: string;
  readonly environment: string;
  readonly effects: readonly string[];
  /** Why it cannot be done: the permission that is missing, or the disruption budget. */
  readonly obstacle: { readonly title: string; readonly text: string } | undefined;
  readonly action: string;
  readonly label: string;
  readonly isDanger: boolean;
  readonly hidden: readonly { readonly name: string; readonly value: string }[];
  readonly replicas?: { readonly value: string; readonly most: number };
  readonly faults: readonly { readonly message: string; readonly href: string }[];
  readonly fault: string;
  readonly backHref: string;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

export interface ActionPageInput {
  readonly action: ResourceAction;
  readonly resource: ResourceView;
  readonly environment: { readonly name: string; readonly displayName: string };
  readonly publicUrl: string;
  /** What a disruption budget says. */
  readonly budget?: string;
  /** What was typed, and why it did not work. */
  readonly sent?: URLSearchParams;
  readonly fault?: string;
}

const QUESTIONS: Readonly<Record<ResourceAction, (what: string) => string>> = {
  restart: (what) => `Restart ${what}?`,
  scale: (what) => `Scale ${what}`,
  run: (what) => `Run ${what} now?`,
  suspend: (what) => `Suspend ${what}?`,
  resume: (what) => `Resume ${what}?`,
  evict: (what) => `Delete the pod ${what}?`,
};

function actionPage(input: ActionPageInput): ActionPage {
  const { action, resource, environment, sent, fault = '' } = input;
  const view = resource.actions.find((one) => one.action === action);
  const { kind, name, replicas = 0 } = resource;
  const question = QUESTIONS[action](name);
  const field = action === 'scale' ? '#replicas' : '#confirm';
  return {
    title: question.replace(/\?$/, ''),
    question,
    kind,
    name,
    environment: environment.displayName === '' ? environment.name : environment.displayName,
    effects: view?.effects ?? [],
    obstacle: obstacleOf(input),
    action: resourcePath(environment.name, resource, action),
    label: action === 'evict' || action === 'run' ? ACTION_LABELS[action] : `${ACTION_LABELS[action]} ${name}`,
    isDanger: action === 'evict',
    hidden: [{ name: 'specVersion', value: resource.specVersion }],
    ...(action === 'scale' ? { replicas: { value: sent?.get('replicas') ?? String(replicas), most: MAX_REPLICAS } } : {}),
    fault,
    faults: fault === '' ? [] : [{ message: fault, href: field }],
    backHref: resourcePath(environment.name, resource),
    commands: [
      { label: 'The same with kubectl', text: view?.kubectl ?? '' },
      { label: 'The same with the REST API', text: curlOf(input) },
    ],
  };
}

function obstacleOf({ action, resource, budget }: ActionPageInput): ActionPage['obstacle'] {
  const view = resource.actions.find((one) => one.action === action);
  if (view === undefined) return { title: 'Not possible now', text: `This ${resource.kind} does not offer it in its present state.` };
  if (view.missing !== undefined) return { title: 'Permission denied', text: missingSentence(view.missing) };
  return budget === undefined ? undefined : { title: 'A disruption budget does not allow it now', text: budget };
}

const CALLS: Readonly<Record<ResourceAction, readonly [method: string, below: string]>> = {
  restart: ['POST', 'restart'],
  scale: ['PUT', 'scale'],
  run: ['POST', 'jobs'],
  suspend: ['POST', 'suspend'],
  resume: ['POST', 'resume'],
  evict: ['POST', 'eviction'],
};

function curlOf({ action, resource, environment, publicUrl }: ActionPageInput): string {
  const [method, below] = CALLS[action];
  const path = resourcePath(environment.name, resource, below);
  const body = action === 'scale' ? JSON.stringify({ replicas: resource.replicas ?? 1 }) : undefined;
  return [
    `curl --fail-with-body -X ${method} ${quoted(`${publicUrl}/api/v1${path}`)}`,
    `  -H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined ? [] : [`  -H 'Content-Type: application/json'`, `  -d ${quoted(body)}`]),
  ].join(' \\\n');
}
