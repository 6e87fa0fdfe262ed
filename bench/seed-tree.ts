import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import type { Cluster } from '../src/domain/kubernetes/cluster.ts';
import { CRD } from '../src/domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../src/domain/kubernetes/resource.ts';

const DOMAIN = 'tree.example.com';
/** The api-server looks at all CRDs of a group whenever one of them changes. */
const KINDS_A_GROUP = 20;
const PARALLEL = 32;
/** More of them would wait for a busy api-server, and that would count as time to the page. */
const PARALLEL_CHANGES = 8;
const PODS = 12;
/** What one of the parts below consists of: Deployments with their ReplicaSets and Pods, and things without content worth mentioning. */
const PART = { deployments: 4, services: 4, configMaps: 20, secrets: 10, customResources: 10 } as const;
const PART_SIZE = PART.deployments * (2 + PODS) + PART.services + PART.configMaps + PART.secrets + PART.customResources;

export const ROOT_KIND: ResourceType & { readonly kind: string } = { ...kindOf(0), kind: 'Kind0' };
/** When an object was changed, as milliseconds since 1970. */
export const CHANGED_AT = 'bench.example.com/changed-at';
const POD: ResourceType = { group: '', version: 'v1', resource: 'pods' };
const CONFIG_MAP: ResourceType = { group: '', version: 'v1', resource: 'configmaps' };
const REPLICA_SET: ResourceType = { group: 'apps', version: 'v1', resource: 'replicasets' };
const DEPLOYMENT: ResourceType = { group: 'apps', version: 'v1', resource: 'deployments' };

/** CRDs of small kinds, as many as asked for. */
export async function seedKinds(cluster: Pick<Cluster, 'create'>, count: number): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const define = async (n: number): Promise<unknown> => {
    const { group, resource } = kindOf(n);
    return await cluster.create(CRD, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${resource}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind: `Kind${n}`, plural: resource },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
  };
  await pMap(
    Array.from({ length: count }, (_, n) => n),
    define,
    { concurrency: PARALLEL },
  );
}

/** Whether a group is one of those kinds. */
export function isSeeded(group: string): boolean {
  return group.endsWith(`.${DOMAIN}`);
}

interface Seeding {
  readonly namespace: string;
  readonly objects: number;
  readonly kinds: number;
  /** When no further part is begun, as `performance.now()` tells it. */
  readonly until: number;
  readonly progress: (done: number) => void;
}

/** A namespace with a custom resource that owns, itself or through others, so many objects, or as many as the time allows. Returns how many. */
export async function seedTree(cluster: Cluster, { namespace, objects, kinds, until, progress }: Seeding): Promise<number> {
  await cluster.create({ group: '', version: 'v1', resource: 'namespaces' }, bare('v1', 'Namespace', { name: namespace }));
  // Nobody else makes it, because no controllers run.
  await cluster.create(
    { group: '', version: 'v1', resource: 'serviceaccounts' },
    bare('v1', 'ServiceAccount', { name: 'default', namespace }),
  );
  const { object: root } = await cluster.create(ROOT_KIND, custom(0, { name: 'root', namespace }));
  const seeder: Seeder = { cluster, namespace, kinds, root };
  let done = 0;
  const parts = Array.from({ length: Math.round(objects / PART_SIZE) }, (_, n) => n);
  const seed = async (n: number): Promise<void> => {
    if (performance.now() > until) return;
    await seedPart(seeder, n);
    progress((done += PART_SIZE));
  };
  await pMap(parts, seed, { concurrency: PARALLEL });
  return done;
}

interface Seeder extends Pick<Seeding, 'namespace' | 'kinds'> {
  readonly cluster: Cluster;
  readonly root: KubeObject;
}

async function seedPart(seeder: Seeder, part: number): Promise<void> {
  const { cluster, namespace, kinds, root } = seeder;
  const owned = (name: string): KubeObject['metadata'] => ({ name: `${name}-${part}`, namespace, ownerReferences: [ownerOf(root)] });
  const create = async (version: string, kind: string, metadata: KubeObject['metadata'], rest: object): Promise<unknown> =>
    await cluster.create({ group: '', version, resource: `${kind.toLowerCase()}s` }, { ...bare(version, kind, metadata), ...rest });
  for (let n = 0; n < PART.deployments; n += 1) await seedDeployment(seeder, `web-${part}-${n}`);
  for (let n = 0; n < PART.services; n += 1) {
    await create('v1', 'Service', owned(`service-${n}`), { spec: { selector: { app: `web-${part}-${n}` }, ports: [{ port: 80 }] } });
  }
  for (let n = 0; n < PART.configMaps; n += 1) await create('v1', 'ConfigMap', owned(`settings-${n}`), { data: { text: 'x'.repeat(400) } });
  for (let n = 0; n < PART.secrets; n += 1)
    await create('v1', 'Secret', owned(`secret-${n}`), { stringData: { password: 'x'.repeat(40) } });
  for (let n = 0; n < PART.customResources; n += 1) {
    const kind = 1 + ((part * PART.customResources + n) % (kinds - 1));
    await cluster.create(kindOf(kind), custom(kind, owned(`custom-${n}`)));
  }
}

/**
 * Changes ConfigMaps, the smallest objects, one after another, so many times a second, or as often as the api-server lets, which need not
 * work out who manages which field. Returns how many it came to.
 */
export async function changeConfigMaps(
  cluster: Cluster,
  namespace: string,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<number> {
  const names = (await cluster.listMetadata(CONFIG_MAP, { namespace })).items.map(({ metadata }) => metadata.name);
  const began = performance.now();
  let changed = 0;
  const change = async (n: number): Promise<void> => {
    if (performance.now() - began > seconds * 1_000) return;
    await sleep(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    const ref = { ...CONFIG_MAP, namespace, name: names[n % names.length] ?? '' };
    const metadata = { annotations: { [CHANGED_AT]: String(Date.now()) }, managedFields: [{}] };
    await cluster.patch(ref, { type: 'merge', body: { metadata } }, { answer: 'metadata', fieldValidation: 'Ignore' });
    changed += 1;
  };
  const all = Array.from({ length: perSecond * seconds }, (_, n) => n);
  await pMap(all, change, { concurrency: PARALLEL_CHANGES });
  return (changed * 1_000) / (performance.now() - began);
}

/** As the controllers would have made them; they do not run. */
async function seedDeployment({ cluster, namespace, root }: Seeder, name: string): Promise<void> {
  const labels = { app: name, 'pod-template-hash': '5d9c7b8f6' };
  const spec = { replicas: PODS, selector: { matchLabels: { app: name } }, template: { metadata: { labels }, spec: podSpec(name) } };
  const status = { observedGeneration: 1, replicas: PODS, readyReplicas: PODS, availableReplicas: PODS, updatedReplicas: PODS };
  const deployment = bare('apps/v1', 'Deployment', { name, namespace, ownerReferences: [ownerOf(root)] });
  const made = await report(cluster, DEPLOYMENT, { object: { ...deployment, spec }, status });
  const replicaSet = bare('apps/v1', 'ReplicaSet', { name: `${name}-5d9c7b8f6`, namespace, labels, ownerReferences: [ownerOf(made)] });
  const { updatedReplicas: _updated, ...counts } = status;
  const set = await report(cluster, REPLICA_SET, { object: { ...replicaSet, spec }, status: counts });
  for (let n = 0; n < PODS; n += 1) {
    const metadata = { name: `${name}-5d9c7b8f6-${n}`, namespace, labels, ownerReferences: [ownerOf(set)] };
    const pod = { ...bare('v1', 'Pod', metadata), spec: { ...podSpec(name), nodeName: 'node-0' } };
    await report(cluster, POD, { object: pod, status: podStatus(n) });
  }
}

interface Reported {
  readonly object: KubeObject;
  readonly status: object;
}

async function report(cluster: Cluster, type: ResourceType, { object, status }: Reported): Promise<KubeObject> {
  const { object: made } = await cluster.create(type, object);
  const { name, namespace } = made.metadata;
  const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
  await cluster.patch(ref, { type: 'merge', body: { status } }, { subresource: 'status', answer: 'metadata' });
  return made;
}

/** Of one of the CRDs, by its number. */
function kindOf(n: number): ResourceType {
  return { group: `group${Math.floor(n / KINDS_A_GROUP)}.${DOMAIN}`, version: 'v1', resource: `kind${n}s` };
}

function custom(n: number, metadata: KubeObject['metadata']): KubeObject {
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Reconciled',
    message: 'all is in place',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return {
    ...bare(`${kindOf(n).group}/v1`, `Kind${n}`, metadata),
    spec: { replicas: 3, size: 'small', storage: { class: 'fast', capacity: '10Gi' } },
    status: { observedGeneration: 1, conditions: [condition] },
  };
}

function bare(apiVersion: string, kind: string, metadata: KubeObject['metadata']): KubeObject {
  return { apiVersion, kind, metadata };
}

function ownerOf({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject) {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function podSpec(name: string) {
  const env = Array.from({ length: 8 }, (_, n) => ({ name: `SETTING_${n}`, value: `value-${n}` }));
  const probe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10 };
  const resources = { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } };
  const container = { image: `registry.example.com/team/${name}:1.2.3`, env, resources, readinessProbe: probe, livenessProbe: probe };
  const containers = ['web', 'proxy'].map((one) => ({ ...container, name: one, ports: [{ name: 'http', containerPort: 8080 }] }));
  return { containers };
}

function podStatus(n: number) {
  const since = '2026-01-01T00:00:00Z';
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: since });
  const containerStatus = (name: string) => ({
    name,
    ready: true,
    started: true,
    restartCount: 0,
    image: `registry.example.com/team/${name}:1.2.3`,
    imageID: `registry.example.com/team/${name}@sha256:${'0123456789abcdef'.repeat(4)}`,
    containerID: `containerd://${'0123456789abcdef'.repeat(4)}`,
    state: { running: { startedAt: since } },
    lastState: {},
  });
  return {
    phase: 'Running',
    hostIP: '10.0.0.1',
    podIP: `10.1.0.${n}`,
    podIPs: [{ ip: `10.1.0.${n}` }],
    startTime: since,
    qosClass: 'Burstable',
    conditions: ['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'].map(condition),
    containerStatuses: ['web', 'proxy'].map(containerStatus),
  };
}
