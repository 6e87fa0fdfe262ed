import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pMap from 'p-map';
import { parseActor } from '../src/domain/kubernetes/actor.ts';
import type { Cluster } from '../src/domain/kubernetes/cluster.ts';
import { DEPLOYMENT, SERVICE } from '../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../src/domain/kubernetes/resource.ts';
import { listEnvironmentResources, listEnvironmentWorkloads } from '../src/operation/environment/list-environment-resources.ts';
import { showEnvironmentStatus } from '../src/operation/environment/show-environment-status.ts';
import { listInstances } from '../src/operation/instance/list-instances.ts';
import { showTree } from '../src/operation/instance/show-tree.ts';
import { type AppWorld, startAppWorld } from '../test/support/app-world.ts';
import { eventually } from '../test/support/eventually.ts';
import { printRows } from './measure-run.ts';
import { median } from './median.ts';

// `npm run bench:pages [-- --instances N --people N --seconds N]`: what people read of one environment with many instances, each with a Deployment, its ReplicaSet and Pod, and
// a Service: the CPU time of this process a request, and the response times of many people with two seconds between two requests.

const { values: given } = parseArgs({
  options: {
    instances: { type: 'string', default: '1000' },
    people: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '20' },
  },
});
const [instances, people, seconds] = [given.instances, given.people, given.seconds].map(Number) as [number, number, number];
const NS = `bench-${process.pid}`;
const GROUP = `${NS}.example.com`;
const APP = `shops.${GROUP}`;
const SHOPS = { group: GROUP, version: 'v1', resource: 'shops' };
const DEV = parseActor('bench:dev', [`bench:${NS}`]);
const RUNS = 9;
const THINK_MS = 2_000;
const PARALLEL = 16;
const TARGETS = { requestMs: 20, coldMs: 2_000, p99Ms: 300, indexMiB: 50 };

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const kind = { kind: 'Shop', plural: 'shops', schema: open, members: { status: open }, defaults: {} };
const world = await startAppWorld({ name: NS, group: GROUP, kinds: [kind], developer: DEV });
try {
  await seed(world);
  const { ports } = world;
  const requests: Readonly<Record<string, () => Promise<unknown>>> = {
    'the list of instances': async () => await listInstances(ports, DEV, NS),
    'the status of the environment': async () => await showEnvironmentStatus(ports, DEV, { environment: NS }),
    'its workloads': async () => await listEnvironmentWorkloads(ports, DEV, { environment: NS }),
    'its resources': async () => await listEnvironmentResources(ports, DEV, { environment: NS }),
    'the tree of one instance': async () => await showTree(ports, DEV, { environment: NS, app: APP, name: nameOf(7) }),
  };
  global.gc?.();
  const before = process.memoryUsage.rss();
  const began = performance.now();
  await listInstances(ports, DEV, NS);
  const coldMs = performance.now() - began;
  const rows: string[][] = [];
  for (const [title, request] of Object.entries(requests)) rows.push([title, ...(await cpuOf(request))]);
  const indexMiB = (process.memoryUsage.rss() - before) / 1024 / 1024;
  printRows([['', 'CPU ms a request (median)', 'ms a request (median)'], ...rows]);
  console.log(
    `\nfirst look ${coldMs.toFixed(0)} ms (target ${TARGETS.coldMs}), memory +${indexMiB.toFixed(0)} MiB (target ${TARGETS.indexMiB})`,
  );
  await crowd(requests['the list of instances'] as () => Promise<unknown>);
} finally {
  await world.stop();
}

/** Shops with what an operator would make of them; the controllers of the cluster make ReplicaSets and Pods. */
async function seed({ kube }: AppWorld): Promise<void> {
  const cluster = kube.asController();
  await pMap(
    Array.from({ length: instances }, (_, n) => n),
    async (n) => await seedShop(cluster, nameOf(n)),
    { concurrency: PARALLEL },
  );
  const arePodsThere = async (): Promise<boolean> => {
    const { items } = await cluster.listMetadata({ group: '', version: 'v1', resource: 'pods' }, { namespace: NS });
    return items.length >= instances;
  };
  await eventually(arePodsThere, 'all Pods are there', 600);
}

async function seedShop(cluster: Cluster, name: string): Promise<void> {
  const { object: root } = await cluster.create(SHOPS, object(`${GROUP}/v1`, 'Shop', name, { status: { phase: 'Ready' } }));
  const owner = { apiVersion: root.apiVersion, kind: root.kind, name, uid: root.metadata.uid ?? '', controller: true };
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example.com/shop:1' }] } };
  const owned = (apiVersion: string, kindName: string, rest: object): KubeObject => {
    const one = object(apiVersion, kindName, name, rest);
    return { ...one, metadata: { ...one.metadata, labels, ownerReferences: [owner] } };
  };
  await cluster.create(DEPLOYMENT, owned('apps/v1', 'Deployment', { spec: { replicas: 1, selector: { matchLabels: labels }, template } }));
  await cluster.create(SERVICE, owned('v1', 'Service', { spec: { selector: labels, ports: [{ port: 80 }] } }));
}

function nameOf(n: number): string {
  return `shop-${String(n).padStart(4, '0')}`;
}

function object(apiVersion: string, kindName: string, name: string, rest: object): KubeObject {
  return { apiVersion, kind: kindName, metadata: { name, namespace: NS }, ...rest };
}

async function cpuOf(request: () => Promise<unknown>): Promise<string[]> {
  await request();
  const runs: { readonly cpu: number; readonly wall: number }[] = [];
  while (runs.length < RUNS) {
    const [began, before] = [performance.now(), process.cpuUsage()];
    await request();
    const { user, system } = process.cpuUsage(before);
    runs.push({ cpu: (user + system) / 1_000, wall: performance.now() - began });
  }
  return [median(runs.map(({ cpu }) => cpu)), median(runs.map(({ wall }) => wall))].map((ms) => ms.toFixed(1));
}

async function crowd(request: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1_000;
  const before = process.cpuUsage();
  const person = async (n: number): Promise<void> => {
    await sleep((THINK_MS * n) / people);
    while (performance.now() < until) {
      const began = performance.now();
      await request();
      times.push(performance.now() - began);
      await sleep(THINK_MS);
    }
  };
  await Promise.all(Array.from({ length: people }, async (_, n) => await person(n)));
  const { user, system } = process.cpuUsage(before);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0);
  const cpu = ((user + system) / 1_000 / Math.max(1, times.length)).toFixed(1);
  console.log(
    `${people} people, ${times.length} lists: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (target ${TARGETS.p99Ms}), ${cpu} ms of CPU each`,
  );
}
