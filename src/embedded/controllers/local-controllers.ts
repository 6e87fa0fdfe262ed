import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { DEPLOYMENT } from '../../domain/kubernetes/resource-types.ts';
import { messageOf } from '../../domain/core/errors.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { EmbeddedCluster } from '../cluster/embedded-cluster.ts';
import { pidFile } from '../cluster/leftovers.ts';
import { logLine } from '../cluster/pod-logs.ts';
import { writePrivateFile } from '../cluster/private-file.ts';
import { type LocalController, localControllerOf } from './local-controller.ts';
import type { Log } from '../../observe/log.ts';
import { compileCache } from '../../thread/compile-cache.ts';

export interface LocalControllersOptions {
  /** Reads Deployments in all namespaces. */
  readonly cluster: Pick<Cluster, 'list' | 'watch'>;
  readonly embedded: Pick<EmbeddedCluster, 'stateDir' | 'accountKubeconfig'>;
  /** The program table: names that a Deployment may ask for, and the TypeScript file of each. Nothing else is ever run. */
  readonly programs: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const FIRST_SYNC_DELAY_MS = 250;
const MAX_SYNC_DELAY_MS = 5000;

type Dependencies = Pick<LocalControllersOptions, 'cluster' | 'log'>;

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
  for (let pause = FIRST_SYNC_DELAY_MS; !signal.aborted; pause = Math.min(pause * 2, MAX_SYNC_DELAY_MS)) {
    try {
      const list = await cluster.list(DEPLOYMENT, { signal });
      const current = new Map(list.items.map((item) => [keyOf(item), item]));
      onChange([...current.values()]);
      pause = FIRST_SYNC_DELAY_MS;
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

export interface ControllerSetting {
  /** The TypeScript file to run. */
  readonly file: string;
  readonly embedded: Pick<EmbeddedCluster, 'stateDir' | 'accountKubeconfig'>;
  readonly log: Log;
}

/** A young generation of 1 MiB is enough for a controller; with the allocator's settings it takes 20 MiB less than without. */
const NODE_FLAGS = ['--max-semi-space-size=1'];
/** As bin/node-env.json has them for Chandlery itself, and why: bin/run-main.mjs. */
const NODE_VARIABLES = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };
const TOKEN_SECONDS = 3600;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;
const STEADY_MS = 30_000;
const GRACE_MS = 3000;

/** Runs the controller's program, again and later each time when it ends, until the signal aborts; resolves when it has ended. */
async function keepControllerRunning(controller: LocalController, setting: ControllerSetting, signal: AbortSignal): Promise<void> {
  const kubeconfig = join(setting.embedded.stateDir, 'run', `${nameOf(controller)}.kubeconfig`);
  await rm(join(setting.embedded.stateDir, 'run', `${nameOf(controller)}.log`), { force: true });
  let pause = FIRST_DELAY_MS;
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      await runOnce(controller, { ...setting, kubeconfig }, signal);
    } catch (error) {
      if (!signal.aborted) setting.log.warn('a local controller ended', { reason: messageOf(error) });
    }
    pause = performance.now() - startedAt > STEADY_MS ? FIRST_DELAY_MS : Math.min(pause * 2, MAX_DELAY_MS);
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
  await rm(kubeconfig, { force: true });
}

/** The namespace holds no dot, so no two Deployments share a name. */
function nameOf({ namespace, name }: LocalController): string {
  return `controller-${namespace}.${name}`;
}

type Run = ControllerSetting & { readonly kubeconfig: string };

async function runOnce(controller: LocalController, run: Run, signal: AbortSignal): Promise<void> {
  const expires = await refreshKubeconfig(controller, run, signal);
  signal.throwIfAborted();
  const child = launch(controller, run);
  const over = new AbortController();
  const kill = (): void => end(child);
  const killNow = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  process.once('exit', killNow);
  const fresh = keepFresh(expires, { controller, run, signal: AbortSignal.any([signal, over.signal]) });
  try {
    const [code, reason] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    throw new Error(`"${run.file}" ended with ${code ?? reason ?? 'no code'}; see ${nameOf(controller)}.log in the state folder`);
  } finally {
    over.abort();
    signal.removeEventListener('abort', kill);
    process.off('exit', killNow);
    rmSync(pidFile(run.embedded.stateDir, nameOf(controller)), { force: true });
    await fresh;
  }
}

/** The command line names the state folder, as argument zero, so that a later start recognises a leftover. */
function launch(controller: LocalController, { file, embedded, kubeconfig, log }: Run): ChildProcess {
  const run = join(embedded.stateDir, 'run');
  const base = join(run, nameOf(controller));
  const env = {
    ...NODE_VARIABLES,
    // What the first start compiles, later ones take from here, in half the time and 15 MiB less.
    NODE_COMPILE_CACHE: join(run, 'compile-cache'),
    ...compileCache(),
    KUBECONFIG: kubeconfig,
    HOME: run,
    POD_NAMESPACE: controller.namespace,
  };
  const child = spawn(process.execPath, [...NODE_FLAGS, file], { argv0: base, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  if (child.pid !== undefined) writeFileSync(pidFile(embedded.stateDir, nameOf(controller)), String(child.pid));
  const output = createWriteStream(`${base}.log`, { flags: 'a', mode: 0o600 });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.write(logLine(line, new Date()));
      log.debug('a local controller says', { line });
    });
  }
  child.once('close', () => output.end());
  return child;
}

function end(child: ChildProcess): void {
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  child.once('exit', () => clearTimeout(impatience));
}

/** Renews the token when half of its life is over; the program reads the file again. */
async function keepFresh(
  expires: Date,
  { controller, run, signal }: { controller: LocalController; run: Run; signal: AbortSignal },
): Promise<void> {
  for (let current = expires; !signal.aborted;) {
    const pause = Math.max((current.getTime() - Date.now()) / 2, FIRST_DELAY_MS);
    await delay(pause, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      current = await refreshKubeconfig(controller, run, signal);
    } catch (error) {
      run.log.warn('the token of a local controller cannot be renewed yet', { reason: messageOf(error) });
    }
  }
}

async function refreshKubeconfig(
  { namespace, account }: LocalController,
  { embedded, kubeconfig }: Run,
  signal: AbortSignal,
): Promise<Date> {
  const { text, expires } = await embedded.accountKubeconfig(namespace, account, { seconds: TOKEN_SECONDS, signal });
  await writePrivateFile(kubeconfig, text);
  return expires;
}
