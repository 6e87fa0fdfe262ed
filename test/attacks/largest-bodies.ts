import assert from 'node:assert/strict';
import { placeholders } from '../../src/api/openapi.ts';
import { MAX_RESOURCE_BYTES, type JsonSchema, type Route } from '../../src/api/route.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { SCHEMAS } from '../../src/api/schemas.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { isObject, listAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import type { WebDeps } from '../../src/web/page/page.ts';
import { createWebRouter } from '../../src/web/router.ts';
import { isTooLong, shortestOfTries, TURN_AIM_MS, type Attack, type Pace } from './attack.ts';
import { ATTACKED, type PersonName } from './people.ts';
import type { Target } from './target.ts';

const APP = 'caches.samples.chandlery.dev';

/** The largest bodies that are legal, each large in another way; `bulk` fills a field in which anything may stand. */
const SHAPES = {
  'one text': (bytes: number) => ({ text: 'x'.repeat(bytes) }),
  'many lines': (bytes: number) => ({ text: 'key: "value" # and more\n'.repeat(bytes / 26) }),
  'escaped text': (bytes: number) => ({ text: '\u0001"\\'.repeat(bytes / 10) }),
  'many texts': (bytes: number) => ({ texts: Array.from({ length: 9_500 }, () => 'y'.repeat(Math.max(0, bytes / 9_500 - 4))) }),
  'many objects': () => ({ objects: Array.from({ length: 4_700 }, (_, index) => ({ number: index * 1.5 })) }),
  /** Each is a secret by its name, and of its own. */
  'many keys': (bytes: number) => ({
    keys: Object.fromEntries(
      Array.from({ length: Math.min(9_500, bytes / 24) }, (_, index) => [`password-${index}`, `${index}`.padEnd(bytes / 40_000, 'v')]),
    ),
  }),
  depth: () => ({ deep: nested(85, 100) }),
} satisfies Readonly<Record<string, (bytes: number) => object>>;
type Shape = keyof typeof SHAPES;
const SHAPE_NAMES = Object.keys(SHAPES) as Shape[];

interface Longest {
  readonly workMs: number;
  readonly route: string;
  readonly shape: string;
  readonly status: number;
}

const longest: Longest[] = [];

export const attacks: readonly Attack[] = [
  { title: 'instances, saved configurations and change requests as large as they may be are made', pace: 'slow', run: seed },
  ...ROUTES.filter(drivable).map((route, index): Attack => ({
    title: `the largest bodies at ${nameOf(route)}`,
    run: async (target, pace) => await driveApi(target, route, { pace, index }),
  })),
  ...pageRoutes().map((route, index): Attack => ({
    title: `the largest forms at ${nameOf(route)}`,
    run: async (target, pace) => await drivePage(target, route, { pace, index }),
  })),
];

/** All of them, or of a quick run the one that takes most work, and of the others one at each route. */
function shapesFor(pace: Pace, index: number): readonly Shape[] {
  if (pace === 'slow') return SHAPE_NAMES;
  const others = SHAPE_NAMES.filter((name) => name !== 'many keys');
  return ['many keys', others[index % others.length] ?? 'depth'];
}

/** The longest turns, for the table. */
export function report(): string {
  const worst = longest.toSorted((one, other) => other.workMs - one.workMs).slice(0, 12);
  const lines = worst.map(({ workMs, route, shape, status }) => `${workMs.toFixed(0).padStart(9)} ms  ${route} with ${shape} (${status})`);
  return [`longest turns of the event loop, where at most ${TURN_AIM_MS} ms is the aim:`, ...lines].join('\n');
}

/** What the placeholders of paths stand for, by shape. */
const ids = new Map<Shape, { readonly savedConfiguration: string; readonly changeRequest: string }>();

async function seed(target: Target): Promise<number> {
  for (const [index, shape] of SHAPE_NAMES.entries()) {
    const spec = specOf(SHAPES[shape](900_000));
    const instance = { method: 'POST', body: { app: APP, name: instanceName(index), spec } };
    const made = await target.call('maintainer', `/api/v1/environments/${ATTACKED}/instances`, instance);
    assert.ok([201, 413, 422].includes(made.status), `${shape}: ${made.status} ${made.text.slice(0, 300)}`);
    const values = { spec: specOf(SHAPES[shape](200_000)) };
    const savedConfiguration = await target.call('maintainer', '/api/v1/saved-configurations', {
      method: 'POST',
      body: { app: APP, title: shape, values },
    });
    const changeRequest = await target.call('viewer', '/api/v1/change-requests', {
      method: 'POST',
      body: { environment: ATTACKED, app: APP, name: `asked-${index}`, spec: specOf(SHAPES[shape](200_000)) },
    });
    ids.set(shape, {
      savedConfiguration: textAt(savedConfiguration.json, 'savedConfiguration', 'id') ?? 'none',
      changeRequest: textAt(changeRequest.json, 'id') ?? 'none',
    });
  }
  return SHAPE_NAMES.length * 3;
}

/** Streams do not end, and what is deleted cannot be looked at any more. */
function drivable({ method, path }: Pick<Route, 'method' | 'path'>): boolean {
  return method !== 'delete' && !path.endsWith('/stream');
}

/** How much a route is tried. */
interface Drive {
  readonly pace: Pace;
  readonly index: number;
}

async function driveApi(target: Target, route: Route, { pace, index: turn }: Drive): Promise<number> {
  let attempts = 0;
  const person: PersonName = route.path.startsWith('/operators') || route.tag === 'Admin' ? 'admin' : 'maintainer';
  for (const shape of shapesFor(pace, turn)) {
    const index = SHAPE_NAMES.indexOf(shape);
    const path = `/api/v1${pathFor(route.path, shape, index)}`;
    for (const query of route.query?.['dryRun'] === undefined ? [''] : ['?dryRun=All', '']) {
      const body = route.body === undefined ? undefined : bodyFor(route, shape, index);
      const headers = { 'Content-Type': route.method === 'patch' ? 'application/merge-patch+json' : 'application/json' };
      const options = { method: route.method.toUpperCase(), ...(body === undefined ? {} : { body: stringifyJson(body), headers }) };
      attempts += await measured(target, { route: nameOf(route), shape: `${shape}${query}`, pace }, async () => {
        return (await target.call(person, path + query, options)).status;
      });
      if (route.body === undefined && placeholders(route.path).length === 0) return attempts;
    }
  }
  return attempts;
}

interface PageRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
}

/** The routes of the pages as Express has them. */
function pageRoutes(): PageRoute[] {
  const router = createWebRouter({} as WebDeps) as unknown as Layer;
  return routesIn(router).filter(drivable);
}

interface Layer {
  readonly stack?: readonly { readonly route?: { readonly path: unknown; readonly methods: object }; readonly handle?: Layer }[];
}

function routesIn({ stack = [] }: Layer): PageRoute[] {
  return stack.flatMap(({ route, handle }) => {
    if (route === undefined) return handle === undefined ? [] : routesIn(handle);
    const path = String(route.path).replaceAll(/:([a-z]+)/g, '{$1}');
    return Object.keys(route.methods).map((method): PageRoute => ({ method: method === 'post' ? 'post' : 'get', path }));
  });
}

async function drivePage(target: Target, route: PageRoute, { pace, index: turn }: Drive): Promise<number> {
  let attempts = 0;
  const person: PersonName = /^.(operators|catalog|admin)/.test(route.path) ? 'admin' : 'maintainer';
  for (const shape of shapesFor(pace, turn)) {
    const index = SHAPE_NAMES.indexOf(shape);
    const path = pathFor(route.path, shape, index);
    for (const form of route.method === 'get' ? [undefined] : formsFor(shape)) {
      const headers = { Accept: 'text/html', ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }) };
      const options = { method: route.method.toUpperCase(), headers, ...(form === undefined ? {} : { body: form.toString() }) };
      attempts += await measured(
        target,
        { route: nameOf(route), shape, pace },
        async () => (await target.call(person, path, options)).status,
      );
    }
    if (route.method === 'get' && placeholders(route.path).length === 0) return attempts;
  }
  return attempts;
}

/** By YAML of the whole, by YAML of a field, and by as many fields as there may be. */
function formsFor(shape: Shape): URLSearchParams[] {
  const head = { environment: ATTACKED, name: 'from-form', title: shape, _do: 'check', version: '' };
  const spec = specOf(SHAPES[shape](200_000));
  const text = stringifyJson({ spec });
  const manifest = stringifyJson(operatorOf(spec));
  const many = Array.from({ length: 19_000 }, (_, index): [string, string] => [`v.spec.labels.${index}`, 'x']);
  return [
    new URLSearchParams({ ...head, 'y.': stringifyJson(spec), manifest, previewValues: text }),
    new URLSearchParams({ ...head, 'y.spec.tolerations': stringifyJson(spec.tolerations) }),
    new URLSearchParams([...Object.entries(head), ...many]),
  ];
}

/** Asks, and notes how long the loop was held. */
async function measured(
  target: Target,
  { pace, ...what }: Pick<Longest, 'route' | 'shape'> & { readonly pace: Pace },
  ask: () => Promise<number>,
): Promise<number> {
  const { workMs, answer: status } = await shortestOfTries(target, pace, ask);
  const { route, shape } = what;
  longest.push({ ...what, workMs, status });
  assert.ok(status < 500, `${route} with ${shape} answered ${status}`);
  assert.ok(!isTooLong(workMs), `${route} with ${shape} (${status}) held the event loop for ${workMs.toFixed(0)} ms`);
  return 1;
}

function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`;
}

function instanceName(index: number): string {
  return `large-${index}`;
}

function pathFor(path: string, shape: Shape, index: number): string {
  const isOperator = path.startsWith('/operators');
  const known = ids.get(shape) ?? { savedConfiguration: 'none', changeRequest: 'none' };
  const values: Readonly<Record<string, string>> = {
    environment: ATTACKED,
    app: APP,
    name: isOperator ? 'cache' : instanceName(index),
    namespace: 'chandlery-system',
    resource: 'secrets',
    id: path.includes('/change-requests') ? known.changeRequest : known.savedConfiguration,
  };
  return path.replaceAll(/\{([a-z]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'none'));
}

/** A body that the route's schema takes, with bulk wherever anything may stand. */
function bodyFor(route: Route, shape: Shape, index: number): unknown {
  const bytes = Math.floor((route.largestBody ?? MAX_RESOURCE_BYTES) * 0.85);
  const made = sampleOf(route.body ?? {}, SHAPES[shape](bytes));
  if (route.operationId === 'createOperator') return operatorOf(specOf(SHAPES[shape](bytes)), index);
  if (!isObject(made)) return made;
  const named = { environment: ATTACKED, app: APP, name: `sent-${index}`, version: '', title: `Sent ${shape}` };
  const spec = isObject(made['spec']) ? { spec: specOf(objectAt(made, 'spec')) } : {};
  const known = Object.fromEntries(Object.entries(named).filter(([key]) => key in made));
  return { ...made, ...known, ...spec };
}

/** Of objects everything that is required, and every part that may hold anything. */
function sampleOf(schema: JsonSchema, bulk: object): unknown {
  const target = textAt(schema, '$ref')?.split('/').at(-1);
  if (target !== undefined) return sampleOf(SCHEMAS[target as keyof typeof SCHEMAS], bulk);
  if ('const' in schema) return schema['const'];
  if ('enum' in schema) return listAt(schema, 'enum')[0];
  if (schema['type'] === 'array') return [];
  if (schema['type'] !== 'object') return 'x';
  const properties = objectAt(schema, 'properties');
  const names = Object.keys(properties);
  if (names.length === 0) return typeof schema['maxProperties'] === 'number' ? {} : bulk;
  const wanted = names.filter((name) => listAt(schema, 'required').includes(name) || isFree(objectAt(properties, name)));
  return Object.fromEntries(wanted.map((name) => [name, sampleOf(objectAt(properties, name), bulk)]));
}

function isFree(schema: JsonSchema): boolean {
  return schema['type'] === 'object' && !('properties' in schema);
}

/** A `spec` of the app, in which tolerations are what anything may stand in. */
function specOf(bulk: object): { readonly tolerations: readonly object[] } {
  return { tolerations: [bulk] };
}

function operatorOf(values: object, index = 0): object {
  const chart = { repoURL: 'file://charts', name: 'cache-operator', version: '0.1.0' };
  const metadata = { name: `large-${index}`, namespace: 'chandlery-system' };
  return { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata, spec: { name: `large-${index}`, chart, values } };
}

function nested(levels: number, width: number): object {
  const leaves = Array.from({ length: width }, (_, index) => index);
  return levels === 0 ? { leaves } : { leaves, below: nested(levels - 1, width) };
}
