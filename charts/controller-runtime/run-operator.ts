import { createApi } from './api.ts';
import type { Api } from './api.ts';
import { readCredentials } from './credentials.ts';
import { Informer } from './informer.ts';
import { isControlledBy, keyOf } from './kube-object.ts';
import type { LiveObject, Resource } from './kube-object.ts';
import { createLog, errorText } from './log.ts';
import type { Log } from './log.ts';
import { INSTANCE, MANAGED_BY } from './managed-kind.ts';
import type { ManagedKind, Observed } from './managed-kind.ts';
import { reconcile } from './reconcile.ts';
import { CLAIM } from './resources.ts';
import { createTransport } from './transport.ts';
import { WorkQueue } from './work-queue.ts';

const WORKERS = 4;
/** Everything is looked at again so often, whether or not something changed. */
const RESYNC = 10 * 60_000;

/** Runs the operator of a kind until SIGTERM or SIGINT: what is being handled is finished, then the program ends by itself. */
export async function runOperator(kind: ManagedKind, environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  const log = createLog(kind.operator, (line) => process.stdout.write(`${line}\n`));
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
  const api = createApi(
    createTransport(() => readCredentials(environment), kind.operator),
    kind.operator,
  );
  log.info('Operator started', { kind: kind.resource.kind });
  await serve({ kind, api, log }, stopping.signal);
  log.info('Operator stopped');
  // Idle connections to the api-server would hold the process for some seconds more.
  process.exit(0);
}

interface Operator {
  readonly kind: ManagedKind;
  readonly api: Api;
  readonly log: Log;
}

async function serve({ kind, api, log }: Operator, signal: AbortSignal): Promise<void> {
  const queue = new WorkQueue((key, error) => log.warn('Reconcile failed, trying again', { key, error: errorText(error) }));
  const inform = (resource: Resource, labelSelector: string, keyFor: (object: LiveObject) => string | undefined): Informer => {
    const onChange = (object: LiveObject): void => {
      const key = keyFor(object);
      if (key !== undefined) queue.add(key);
    };
    return new Informer({ api, resource, labelSelector, onChange, log });
  };
  const selector = `${MANAGED_BY}=${kind.operator}`;
  const parents = inform(kind.resource, '', keyOf);
  const children = kind.owned.map((resource) => inform(resource, selector, parentKey));
  const claims = inform(CLAIM, selector, parentKey);
  const informers = [parents, ...children, claims];

  const running = informers.map((informer) => informer.run(signal));
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([aborted, Promise.all(informers.map((informer) => informer.synced()))]);

  const handle = async (key: string): Promise<{ readonly againAfter: number } | undefined> => {
    const parent = parents.get(key);
    if (parent === undefined || parent.metadata.deletionTimestamp !== undefined) return undefined;
    await reconcile({ api, kind, now: () => new Date() }, parent, observe(parent, children, claims));
    return { againAfter: RESYNC };
  };
  await queue.run(WORKERS, handle, signal);
  await Promise.all(running);
}

/** The parent that the labels of a child name. */
function parentKey({ metadata }: LiveObject): string | undefined {
  const name = metadata.labels?.[INSTANCE];
  return name === undefined ? undefined : `${metadata.namespace}/${name}`;
}

function observe(parent: LiveObject, informers: readonly Informer[], claims: Informer): Observed {
  const key = keyOf(parent);
  return {
    children: informers
      .flatMap((informer) => informer.all())
      .filter((child) => isControlledBy(child, parent) && child.metadata.deletionTimestamp === undefined),
    claims: claims.all().filter((claim) => parentKey(claim) === key),
  };
}
