import { setTimeout as delay } from 'node:timers/promises';
import { DEPLOYMENT } from '../../domain/kubernetes/resource-types.ts';
import { messageOf } from '../../domain/core/errors.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { EmbeddedCluster } from '../cluster/embedded-cluster.ts';
import { keepControllerRunning } from './controller-process.ts';
import { localControllerOf, type LocalController } from './local-controller.ts';
import type { Log } from '../../observe/log.ts';

export interface LocalControllersOptions {
  /** Reads Deployments in all namespaces. */
  readonly cluster: Pick<Cluster, 'list' | 'watch'>;
  readonly embedded: Pick<EmbeddedCluster, 'stateDir' | 'accountKubeconfig'>;
  /** The program table: names that a Deployment may ask for, and the TypeScript file of each. Nothing else is ever run. */
  readonly programs: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5000;

interface Dependencies {
  readonly cluster: Pick<Cluster, 'list' | 'watch'>;
  readonly log: Log;
}

/**
 * Stands in for the pods of controllers, which the embedded cluster only simulates: for each Deployment whose pod template has the annotation
 * `chandlery.dev/controller`, runs the local program of that name under the Deployment's own service account, so that its RBAC holds.
 * Resolves when the signal has aborted and all programs have ended.
 */
export async function runLocalControllers(options: LocalControllersOptions): Promise<void> {
  const running = new Map<string, Running>();
  await followDeployments(options, (deployments) => adjust(running, wantedOf(deployments, options), options), options.signal);
  await Promise.all([...running.values()].map(({ ended }) => ended));
}

interface Running {
  readonly controller: LocalController;
  readonly stop: AbortController;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

function wantedOf(deployments: readonly KubeObject[], { programs, log }: LocalControllersOptions): Map<string, LocalController> {
  const wanted = new Map<string, LocalController>();
  for (const controller of deployments.map(localControllerOf)) {
    if (controller === undefined) continue;
    if (Object.hasOwn(programs, controller.program)) wanted.set(`${controller.namespace}/${controller.name}`, controller);
    else log.debug('a Deployment asks for a controller that is not in the program table', { ...controller });
  }
  return wanted;
}

/** Stops what is no longer wanted, or wanted otherwise, and starts what is new. */
function adjust(running: Map<string, Running>, wanted: ReadonlyMap<string, LocalController>, options: LocalControllersOptions): void {
  for (const [key, entry] of running) {
    const next = wanted.get(key);
    if (next?.program === entry.controller.program && next.account === entry.controller.account) continue;
    entry.stop.abort();
    running.delete(key);
    if (next !== undefined) running.set(key, start(next, options, entry.ended));
  }
  for (const [key, controller] of wanted) {
    if (!running.has(key)) running.set(key, start(controller, options, Promise.resolve()));
  }
}

function start(
  controller: LocalController,
  { embedded, programs, log, signal }: LocalControllersOptions,
  predecessor: Promise<void>,
): Running {
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const file = programs[controller.program] ?? '';
  const ended = predecessor
    .then(() =>
      keepControllerRunning(
        controller,
        { file, embedded, log: log.child({ controller: `${controller.namespace}/${controller.name}` }) },
        until,
      ),
    )
    .catch((error: unknown) => log.error('a local controller cannot be run', { ...controller, reason: messageOf(error) }));
  return { controller, stop, ended };
}

/** Calls `onChange` with all Deployments of the cluster, at first and after each change, until the signal aborts. A watch that breaks begins anew. */
async function followDeployments(
  { cluster, log }: Dependencies,
  onChange: (deployments: readonly KubeObject[]) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let pause = FIRST_DELAY_MS; !signal.aborted; pause = Math.min(pause * 2, MAX_DELAY_MS)) {
    try {
      const list = await cluster.list(DEPLOYMENT, { signal });
      const current = new Map(list.items.map((item) => [keyOf(item), item]));
      onChange([...current.values()]);
      pause = FIRST_DELAY_MS;
      for await (const { type, object } of cluster.watch(DEPLOYMENT, { resourceVersion: list.resourceVersion, signal })) {
        if (type === 'BOOKMARK') continue;
        if (type === 'DELETED') current.delete(keyOf(object));
        else current.set(keyOf(object), object);
        onChange([...current.values()]);
      }
    } catch (error) {
      if (!signal.aborted) log.debug('watching Deployments broke off', { reason: messageOf(error) });
    }
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
