// Reads and follows the tree of `bench:tree` in a process of its own, whose memory is then that of the tree alone.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { indexEnvironments } from '../src/compose/index-environments.ts';
import type { Cluster } from '../src/domain/kubernetes/cluster.ts';
import type { ResourceType } from '../src/domain/kubernetes/resource.ts';
import { createKube } from '../src/kube/kube.ts';
import { createLog } from '../src/observe/log.ts';
import { returnMemoryWhenIdle } from '../src/observe/return-memory.ts';
import { followPorts, indexedKinds } from '../src/operation/index-port.ts';
import { createNamespaceMemory } from '../src/operation/environment/namespace-memory.ts';
import { namespacedKinds } from '../src/operation/instance/read-objects.ts';
import { createReadingTurns } from '../src/web/live/reading-turns.ts';
import { SharedReading } from '../src/web/live/shared-reading.ts';
import { watchLoop, workOfThread } from './loop-probe.ts';
import { peakMiB } from './peak-memory.ts';
import { readSeededTree, type SeededTree } from './read-tree.ts';
import { CHANGED_AT, ROOT_KIND } from './seed-tree.ts';

/** What one reading took. */
export interface TreeReading {
  readonly resources: number;
  readonly calls: number;
  /** From the first call to the tree. */
  readonly wholeMs: number;
  /** From the last answer to the tree. */
  readonly treeMs: number;
  /** What the main thread computes for that, as far as other programs let it. */
  readonly treeWorkMs: number;
  /** The longest turn of the event loop. */
  readonly turnMs: number;
}

export interface TreeReport {
  /** The first reading of the process, one of all kinds, and one when it is known which kinds there are. */
  readonly cold: TreeReading;
  readonly again: TreeReading;
  readonly warm: TreeReading;
  readonly beforeMiB: number;
  /** While everything is watched. */
  readonly restMiB: number;
  readonly heapMiB: number;
  readonly peakMiB: number;
}

export interface FollowReport {
  readonly changes: number;
  readonly pages: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly turnMs: number;
}

const ACTOR = { user: 'bench', groups: ['bench'] };
/** Longer than twice what `returnMemoryWhenIdle` waits. */
const IDLE_MS = 12_000;
const [kubeconfigPath = '', namespace = ''] = process.argv.slice(2);
const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
const kube = createKube({ kubeconfigPath, userAgent: 'chandlery-bench' });
const kinds = namespacedKinds(await kube.kinds());
const isRoot = ({ group }: ResourceType): boolean => group === ROOT_KIND.group;
const ending = new AbortController();
returnMemoryWhenIdle(ending.signal);
const beforeMiB = await restingMiB();
global.gc?.();
const heapBefore = process.memoryUsage().heapUsed;
let memory = createNamespaceMemory().kindsIn(ACTOR, namespace);
const cold = await measureReading();
memory = createNamespaceMemory().kindsIn(ACTOR, namespace);
const again = await measureReading();
const warm = await measureReading();

const latencies: number[] = [];
const lastChange = new Map<string, string>();
let pages = 0;
const follows = { readings: 0, isReading: false, lastAt: 0 };
const reading = new SharedReading(
  {
    key: 'tree',
    intervalMs: 8_000,
    reader: (actor, series) => {
      const index = indexEnvironments({ kube, clusters: kube, log, signal: ending.signal });
      const followed = followPorts({ clusters: kube, index }, actor, series).index.open(actor);
      const remembered = indexedKinds(createNamespaceMemory().kindsIn(actor, namespace), followed, { namespace, isApp: isRoot });
      return async () => {
        follows.isReading = true;
        const group = await readTree(followed.cluster, remembered);
        Object.assign(follows, { readings: follows.readings + 1, isReading: false, lastAt: performance.now() });
        return summary(group);
      };
    },
    render: (text) => ({ html: String(text), status: '' }),
  },
  ACTOR,
  { turns: createReadingTurns(), ended: () => ending.abort() },
);
const leave = await reading.join(() => ({ change: () => void (pages += 1), gone: () => undefined, fail: console.error }));
// The second reading begins the watches, after a pause as long as the first one took.
while (follows.readings < 2 || follows.isReading || performance.now() - follows.lastAt < 1_500) await sleep(100);
const restMiB = await restingMiB();
global.gc?.();
const heapMiB = (process.memoryUsage().heapUsed - heapBefore) / 1024 / 1024;
process.send?.({ cold, again, warm, beforeMiB, restMiB, heapMiB, peakMiB: peakMiB(process.pid) ?? 0 } satisfies TreeReport);

latencies.length = 0;
pages = 0;
const loop = watchLoop();
await once(process, 'message');
await sleep(2_000);
const sorted = latencies.toSorted((a, b) => a - b);
const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
process.send?.({ changes: sorted.length, pages, medianMs: at(0.5), p99Ms: at(0.99), turnMs: loop().workMs } satisfies FollowReport);
leave();
await kube.close();
process.disconnect();

/** What a page would draw of it; of each change that is in it, how old it is. */
function summary({ tree, objects }: SeededTree): object {
  const now = Date.now();
  for (const { metadata } of objects) {
    const changed = metadata.annotations?.[CHANGED_AT];
    if (changed === undefined || lastChange.get(metadata.name) === changed) continue;
    lastChange.set(metadata.name, changed);
    latencies.push(now - Number(changed));
  }
  return { health: tree.health, count: tree.count, changes: latencies.length };
}

async function readTree(cluster: Cluster, remembered = memory, lists: Lists = { count: 0, lastAt: 0, lastWork: 0 }): Promise<SeededTree> {
  const counted: Cluster = {
    ...cluster,
    list: (type, options) => noted(lists, cluster.list(type, options)),
    listMetadata: (type, options) => noted(lists, cluster.listMetadata(type, options)),
  };
  return await readSeededTree(counted, { namespace, kinds, memory: remembered });
}

async function measureReading(): Promise<TreeReading> {
  const lists = { count: 0, lastAt: 0, lastWork: 0 };
  const loop = watchLoop();
  const began = performance.now();
  const { tree } = await readTree(kube.asActor(ACTOR), memory, lists);
  const ended = performance.now();
  const treeWorkMs = workOfThread() - lists.lastWork;
  return {
    resources: tree.count,
    calls: lists.count + 1,
    wholeMs: ended - began,
    treeMs: ended - lists.lastAt,
    treeWorkMs,
    turnMs: loop().workMs,
  };
}

interface Lists {
  count: number;
  lastAt: number;
  lastWork: number;
}

async function noted<T>(lists: Lists, list: Promise<T>): Promise<T> {
  lists.count += 1;
  const answer = await list;
  lists.lastAt = performance.now();
  lists.lastWork = workOfThread();
  return answer;
}

/** Once the process has been idle for a while, as it is between two changes. */
async function restingMiB(): Promise<number> {
  await sleep(IDLE_MS);
  return process.memoryUsage.rss() / 1024 / 1024;
}
