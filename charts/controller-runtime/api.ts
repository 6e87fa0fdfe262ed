import { ApiError } from './api-error.ts';
import { apiVersionOf } from './kube-object.ts';
import type { LiveObject, Manifest, Resource } from './kube-object.ts';
import type { Transport } from './transport.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: LiveObject;
}
export interface Listing {
  readonly items: readonly LiveObject[];
  readonly resourceVersion: string;
}
export interface WatchFrom {
  readonly labelSelector: string;
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

/** The few calls that an operator needs. All throw ApiError; absence is not an error of `get` and `remove`. */
export interface Api {
  get(resource: Resource, namespace: string, name: string): Promise<LiveObject | undefined>;
  /** Across all namespaces. */
  list(resource: Resource, labelSelector: string): Promise<Listing>;
  watch(resource: Resource, from: WatchFrom): AsyncIterable<WatchEvent>;
  create(resource: Resource, object: Manifest): Promise<LiveObject>;
  /** Replaces exactly the version that `metadata.resourceVersion` names. */
  replace(resource: Resource, object: Manifest): Promise<LiveObject>;
  /** Server-side apply under our field manager, taking our fields back from whoever changed them. */
  apply(resource: Resource, object: Manifest, subresource?: 'status'): Promise<LiveObject>;
  mergePatch(resource: Resource, target: Manifest, patch: unknown): Promise<LiveObject>;
  /** Deletes this object and not a successor of the same name; its dependants follow. */
  remove(resource: Resource, object: LiveObject): Promise<void>;
}

export function createApi(transport: Transport, fieldManager: string): Api {
  const send = async (call: Parameters<Transport>[0]): Promise<LiveObject> => (await (await transport(call)).json()) as LiveObject;
  const manager = `fieldManager=${encodeURIComponent(fieldManager)}`;

  return {
    get: (resource, namespace, name) => orAbsent(send({ method: 'GET', path: pathOf(resource, namespace, name) })),
    list: (resource, labelSelector) => listAll(transport, resource, labelSelector),
    watch: (resource, from) => watchLines(transport, resource, from),
    create: (resource, object) => send({ method: 'POST', path: `${pathOf(resource, object.metadata.namespace)}?${manager}`, body: object }),
    replace: (resource, object) => send({ method: 'PUT', path: `${pathOfObject(resource, object)}?${manager}`, body: object }),
    apply: (resource, object, subresource) =>
      send({
        method: 'PATCH',
        path: `${pathOfObject(resource, object)}${subresource === undefined ? '' : `/${subresource}`}?${manager}&force=true`,
        contentType: 'application/apply-patch+yaml',
        body: object,
      }),
    mergePatch: (resource, target, patch) =>
      send({
        method: 'PATCH',
        path: `${pathOfObject(resource, target)}?${manager}`,
        contentType: 'application/merge-patch+json',
        body: patch,
      }),
    remove: async (resource, object) => {
      const body = { propagationPolicy: 'Background', preconditions: { uid: object.metadata.uid } };
      await orAbsent(send({ method: 'DELETE', path: pathOfObject(resource, object), body }));
    },
  };
}

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function listAll(transport: Transport, resource: Resource, labelSelector: string): Promise<Listing> {
  const items: LiveObject[] = [];
  let next = '';
  for (;;) {
    const query = new URLSearchParams({ limit: '500', labelSelector, ...(next === '' ? {} : { continue: next }) });
    const body = await transport({ method: 'GET', path: `${pathOf(resource)}?${query.toString()}` });
    const page = (await body.json()) as {
      readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
      readonly items: readonly LiveObject[];
    };
    // The items of a list carry neither their kind nor their version.
    items.push(...page.items.map((item) => ({ ...item, apiVersion: apiVersionOf(resource), kind: resource.kind })));
    next = page.metadata.continue ?? '';
    if (next === '') return { items, resourceVersion: page.metadata.resourceVersion };
  }
}

async function* watchLines(transport: Transport, resource: Resource, from: WatchFrom): AsyncGenerator<WatchEvent> {
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: '240',
    labelSelector: from.labelSelector,
    resourceVersion: from.resourceVersion,
  });
  const body = await transport({ method: 'GET', path: `${pathOf(resource)}?${query.toString()}`, signal: from.signal });
  body.setEncoding('utf8');
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as WatchEvent;
  }
}

function pathOfObject(resource: Resource, { metadata }: Manifest): string {
  return pathOf(resource, metadata.namespace, metadata.name);
}

function pathOf(resource: Resource, namespace?: string, name?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${scope}/${resource.plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}
