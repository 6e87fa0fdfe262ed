// Reads the tree of `bench:tree` in a process of its own, whose memory is then that of the reading alone.
import type { Cluster } from '../src/domain/kubernetes/cluster.ts';
import type { KubeObject } from '../src/domain/kubernetes/resource.ts';
import { createKube } from '../src/kube/kube.ts';
import { createGroupMemory } from '../src/operation/instance/group-memory.ts';
import { readGroup } from '../src/operation/instance/read-group.ts';
import { namespacedKinds } from '../src/operation/instance/read-objects.ts';
import { watchLoop } from './loop-probe.ts';
import { peakMiB } from './peak-memory.ts';
import { ROOT_KIND } from './seed-tree.ts';

/** What one reading took. */
export interface TreeReading {
  readonly resources: number;
  readonly calls: number;
  /** From the first call to the tree. */
  readonly wholeMs: number;
  /** From the last answer to the tree. */
  readonly treeMs: number;
  readonly turnMs: number;
}

export interface TreeReport {
  readonly cold: TreeReading;
  readonly warm: TreeReading;
  readonly beforeMiB: number;
  readonly restMiB: number;
  readonly peakMiB: number;
}

const ACTOR = { user: 'bench', groups: ['bench'] };
const NO_RULES = { evaluate: async () => undefined };
const [kubeconfigPath = '', namespace = ''] = process.argv.slice(2);
const kube = createKube({ kubeconfigPath, userAgent: 'chandlery-bench' });
const kinds = namespacedKinds(await kube.kinds());
const memory = createGroupMemory();
const beforeMiB = restingMiB();
const cold = await read();
const warm = await read();
const restMiB = restingMiB();
process.send?.({ cold, warm, beforeMiB, restMiB, peakMiB: peakMiB(process.pid) ?? 0 } satisfies TreeReport);
await kube.close();

async function read(): Promise<TreeReading> {
  const lists = { count: 0, lastAt: 0 };
  const cluster = kube.asActor(ACTOR);
  const counted: Pick<Cluster, 'list' | 'listMetadata' | 'pages'> = {
    list: (type, options) => noted(lists, cluster.list(type, options)),
    listMetadata: (type, options) => noted(lists, cluster.listMetadata(type, options)),
    pages: cluster.pages,
  };
  const loop = watchLoop();
  const began = performance.now();
  const root: KubeObject = await cluster.get({ ...ROOT_KIND, namespace, name: 'root' });
  const { tree } = await readGroup(counted, { root, namespace, kinds, memory: memory.kindsFor(ACTOR, root), health: NO_RULES });
  const ended = performance.now();
  const { workMs } = loop();
  return { resources: tree.count, calls: lists.count + 1, wholeMs: ended - began, treeMs: ended - lists.lastAt, turnMs: workMs };
}

async function noted<T>(lists: { count: number; lastAt: number }, list: Promise<T>): Promise<T> {
  lists.count += 1;
  const answer = await list;
  lists.lastAt = performance.now();
  return answer;
}

/** Without what is garbage. */
function restingMiB(): number {
  for (let n = 0; n < 3; n += 1) global.gc?.();
  return process.memoryUsage.rss() / 1024 / 1024;
}
