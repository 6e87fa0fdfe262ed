import { EventEmitter, once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mapSource, type Reconcile, runController } from '../../src/controller/controller.ts';
import { statusOf } from '../../src/domain/kind/kind.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { CATALOG_SOURCE, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND, type SourceStatus } from '../../src/domain/source/catalog-source.ts';
import { dependentsOf } from '../../src/domain/source/dependencies.ts';
import { createArtifacts } from '../../src/chart/oci/artifact.ts';
import { createGit } from '../../src/git/git.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { createEventRecorder } from '../../src/kube/events.ts';
import { createKube, type Kube } from '../../src/kube/kube.ts';
import { openKube } from './open-kube.ts';
import { startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import { createSourceReconciler } from '../../src/reconcile/source/reconcile-source.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { createFolderReader } from '../../src/folder/read-source-folder.ts';
import { repoRoot, sharedCluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { RUN } from './run-name.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

/** The controller of CatalogSources on the shared cluster. */
export interface SourceWorld {
  readonly kube: Kube;
  readonly kubeconfigPath: string;
  /** What it logged. */
  readonly lines: readonly string[];
  /** Has it look at a source now. */
  wake(source: string): void;
  /** The same; resolves when a reconcile has ended that began afterwards. */
  reconcile(source: string): Promise<void>;
  /** Moves its clock forward. */
  advanceClock(milliseconds: number): void;
  status(source: string): Promise<SourceStatus | undefined>;
  /** The status, once `Ready` has that reason. */
  untilReason(source: string, reason: string): Promise<SourceStatus>;
  /** The message of `Ready`. */
  problem(source: string): Promise<string>;
  declare(source: string, spec: object): Promise<void>;
  /** Deletes a source and waits until it is gone. */
  remove(source: string): Promise<void>;
  /** An Operator in `default`, by the name in its documents. */
  operator(name: string): Promise<KubeObject | undefined>;
  /** How many calls the controller has made to the api-server. */
  calls(): number;
  stop(): Promise<void>;
}

/** Where it works, when that is not the shared cluster and a fresh folder. */
interface Elsewhere {
  readonly kubeconfigPath: string;
  /** The folder of what it has brought from repositories; it stays. */
  readonly checkouts: string;
  /** Gets every line of the log, debug lines included. */
  readonly log: (text: string) => void;
}

const RECONCILED_MS = 60_000;

export async function startSourceWorld(elsewhere?: Elsewhere): Promise<SourceWorld> {
  const ending = new AbortController();
  const { signal } = ending;
  const lines: string[] = [];
  const wakers = new Set<(key: string) => void>();
  const declared = new Set<string>();
  // Several worlds share a cluster, and each has a controller.
  const isOwn = (name: string): boolean => elsewhere !== undefined || declared.has(name);
  const { kubeconfigPath, stop: stopCluster } = elsewhere === undefined ? await sharedCluster() : { ...elsewhere, stop: () => undefined };
  const kube = openKube(kubeconfigPath);
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
  const gitHome = elsewhere?.checkouts ?? (await mkdtemp(join(await realpath(tmpdir()), 'chandlery-checkouts-')));
  const git = createGit({ homeDir: gitHome, allowEgress: ['127.0.0.0/8', '::1/128'], certificateAuthorities: [] });
  const artifacts = createArtifacts({
    homeDir: join(gitHome, 'artifacts'),
    mirrors: [],
    allowEgress: ['127.0.0.0/8', '::1/128'],
    certificateAuthorities: [],
  });
  let [calls, ahead] = [0, 0];
  // The controller has connections of its own, so that its calls can be reported from those of a test.
  const own = createKube({
    kubeconfigPath,
    userAgent: 'chandlery-test',
    observe: () => {
      calls += 1;
    },
  });
  const cluster = own.asController();
  const log = createLog({
    level: elsewhere === undefined ? 'warn' : 'debug',
    format: 'lines',
    write: elsewhere?.log ?? ((text) => lines.push(text)),
  });
  const sources = startReflector({ cluster, type: CATALOG_SOURCE, signal, log });
  const ports = {
    cluster,
    cached: sources.get,
    appKinds: () => [],
    events: createEventRecorder({ cluster, log }),
    asServiceAccount: kube.asServiceAccount,
    discovery: kube,
    readFolder: createFolderReader((await loadTools(repoRoot)).kubectl ?? 'kubectl'),
  };
  const now = (): Date => new Date(Date.now() + ahead);
  const { reconcile, next } = followed(createSourceReconciler({ ...ports, git, artifacts, log, now }).reconcile);
  const woken = { onChange: (listener: (key: string) => void) => (wakers.add(listener), () => wakers.delete(listener)) };
  const running = runController({
    name: 'source',
    sources: [sources, mapSource(sources, (name) => dependentsOf(name, sources.all())), woken].map((source) =>
      mapSource(source, (name) => (isOwn(name) ? [name] : [])),
    ),
    reconcile,
    workers: 2,
    log,
    signal,
  });
  const wake = (source: string): void => wakers.forEach((waker) => waker(source));
  const stop = async (): Promise<void> => {
    ending.abort();
    await running;
    await kube.close();
    await own.close();
    if (elsewhere === undefined) await rm(gitHome, { recursive: true, force: true });
    await stopCluster();
  };
  return {
    ...handsOf(kube, declared),
    kube,
    kubeconfigPath,
    lines,
    wake,
    reconcile: async (source) => {
      const ended = next(source, AbortSignal.timeout(RECONCILED_MS));
      wake(source);
      await ended;
    },
    advanceClock: (milliseconds) => void (ahead += milliseconds),
    calls: () => calls,
    stop,
  };
}

interface Followed {
  readonly reconcile: Reconcile;
  /** Resolves when the reconcile of a key has ended that begins next. */
  readonly next: (key: string, signal: AbortSignal) => Promise<void>;
}

function followed(reconcile: Reconcile): Followed {
  const awaited = new Map<string, EventEmitter>();
  return {
    reconcile: async (key, signal) => {
      const listeners = awaited.get(key);
      awaited.delete(key);
      try {
        return await reconcile(key, signal);
      } finally {
        listeners?.emit('ended');
      }
    },
    next: async (key, signal) => {
      const listeners = awaited.get(key) ?? new EventEmitter();
      awaited.set(key, listeners);
      await once(listeners, 'ended', { signal });
    },
  };
}

function handsOf(
  kube: Kube,
  declared: Set<string>,
): Pick<SourceWorld, 'status' | 'untilReason' | 'problem' | 'declare' | 'remove' | 'operator'> {
  const cluster = kube.asController();
  const status = async (name: string): Promise<SourceStatus | undefined> => {
    const object = await ifFound(cluster.get({ ...CATALOG_SOURCE, name }));
    return object === undefined ? undefined : statusOf(CATALOG_SOURCE_KIND, object);
  };
  const ready = async (name: string) => findCondition((await status(name))?.conditions ?? [], 'Ready');
  const untilReason = (name: string, reason: string): Promise<SourceStatus> =>
    eventually(async () => ((await ready(name))?.reason === reason ? await status(name) : undefined), `${name} is ${reason}`);
  return {
    status,
    untilReason,
    problem: async (name) => (await ready(name))?.message ?? '',
    declare: async (name, spec) => {
      declared.add(name);
      const object = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name }, spec };
      await cluster.apply(CATALOG_SOURCE, object, { fieldManager: 'test', force: 'force' });
    },
    remove: async (name) => {
      await deleteWithIntent(cluster, { type: CATALOG_SOURCE, object: { metadata: { name } } });
      await eventually(async () => (await status(name)) === undefined, `${name} is gone`);
    },
    operator: (name) => ifFound(cluster.get({ ...OPERATOR, namespace: 'default', name })),
  };
}

let count = 0;

/** A name that no other test has. */
export function newSourceName(): string {
  count += 1;
  return `source-${RUN}-${count}`;
}

/** The document of an Operator, with one more line in its spec. Without `chart`, it has one of its own, so that no other Operator is taken for it under another name. */
export function operatorDocument(name: string, more = '', chart = name): string {
  const head = `apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata:\n  name: ${name}\nspec:\n  chartURL: https://example.com/${chart}.tgz\n`;
  return more === '' ? head : `${head}  ${more}\n`;
}

export function isSuspended(object: KubeObject | undefined): boolean {
  return (object?.spec as { suspend?: boolean } | undefined)?.suspend === true;
}
