import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import { keyOf, type KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { type KeySource, mapSource, runController } from '../../src/controller/controller.ts';
import { type Reflector, startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog, type Log } from '../../src/observe/log.ts';
import { asLive, isControlledBy, type LiveObject } from './kube-object.ts';
import { INSTANCE, MANAGED_BY, type ManagedKind, type Observed } from './managed-kind.ts';
import { createEventRecorder } from '../../src/kube/events.ts';
import { createKube } from '../../src/kube/kube.ts';
import { reconcile } from './reconcile.ts';
import { PERSISTENT_VOLUME_CLAIM } from '../../src/domain/kubernetes/resource-types.ts';

const WORKERS = 4;
/** Everything is looked at again so often, whether or not something changed. */
const RESYNC_MS = 10 * 60_000;

/** Runs the operator of a kind until SIGTERM or SIGINT: what is being reconciled is finished, then the program ends by itself. */
export async function runOperator(kind: ManagedKind, environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  const log = createLog({ level: 'info', format: 'json', write: (line) => process.stdout.write(line) }).child({ operator: kind.operator });
  const stopping = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopping.abort());
  const kubeconfigPath = environment['KUBECONFIG'];
  const kube = createKube({ userAgent: kind.operator, ...(kubeconfigPath === undefined ? {} : { kubeconfigPath }) });
  log.info('Operator started', { kind: kind.resource.kind });
  await serve({ kind, cluster: kube.asController(), log, signal: stopping.signal });
  await kube.close();
  log.info('Operator stopped');
}

interface Operator {
  readonly kind: ManagedKind;
  readonly cluster: Cluster;
  readonly log: Log;
  readonly signal: AbortSignal;
}

async function serve({ kind, cluster, log, signal }: Operator): Promise<void> {
  const labelSelector = `${MANAGED_BY}=${kind.operator}`;
  const parents = startReflector({ cluster, type: kind.resource, signal, log });
  const types = [...new Set([...kind.owned, PERSISTENT_VOLUME_CLAIM])];
  const children = types.map((type) => startReflector({ cluster, type, labelSelector, signal, log }));
  await Promise.all([parents, ...children].map((reflector) => reflector.waitForSync(signal))).catch(ignoreAbort(signal));

  const events = createEventRecorder({ cluster, log, component: kind.operator });
  await runController({
    name: kind.operator,
    sources: [parents, ...children.map(parentsOf)],
    workers: WORKERS,
    log,
    signal,
    reconcile: async (key) => {
      const found = parents.get(key);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return {};
      const parent = asLive(found);
      await reconcile({ cluster, events, kind, now: () => new Date() }, parent, observe(parent, children));
      return { requeueAfter: RESYNC_MS };
    },
  });
}

function ignoreAbort(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

/** The parents that the labels of children name. What a deleted child said last counts. */
function parentsOf(children: Reflector): KeySource {
  const known = new Map<string, string>();
  return mapSource(children, (key) => {
    const before = known.get(key);
    const parent = parentKey(children.get(key));
    if (parent === undefined) known.delete(key);
    else known.set(key, parent);
    return [...new Set([before, parent])].filter((one) => one !== undefined);
  });
}

function parentKey(child: KubeObject | undefined): string | undefined {
  const { namespace, labels } = child?.metadata ?? {};
  const name = labels?.[INSTANCE];
  return name === undefined || namespace === undefined ? undefined : `${namespace}/${name}`;
}

function observe(parent: LiveObject, reflectors: readonly Reflector[]): Observed {
  const key = keyOf(parent);
  const objects = reflectors.flatMap((reflector) => reflector.all().map(asLive));
  return {
    children: objects.filter((child) => isControlledBy(child, parent) && child.metadata.deletionTimestamp === undefined),
    claims: objects.filter((object) => object.kind === PERSISTENT_VOLUME_CLAIM.kind && parentKey(object) === key),
  };
}
