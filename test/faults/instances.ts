import { isDeepStrictEqual } from 'node:util';
import { parseInstanceStatus } from '../../src/domain/app-instance/instance.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { numberAt, textAt } from '../../src/domain/core/read.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import { EVENT, SECRET, SERVICE } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { deploymentTemplate } from '../support/charts.ts';
import { type InstanceWorld, startInstanceWorld } from '../support/instance-world.ts';
import { RUN } from '../support/run-name.ts';
import type { Act } from './acts.ts';
import type { Arena } from './arena.ts';
import { describe, faultsOfLeases, faultsOfObjects, faultsOfRelease, recordsOf } from './invariants.ts';
import type { Moments, Trade } from './kills.ts';
import { BROKEN, configOf, CONFIG_MAPS, DEPLOYMENTS, find, type Subject, type Version, VERSIONS } from './subject.ts';

const MOMENTS: Moments = {
  install: ['random', 'random', 'random', 'lease', 'release', 'helm', 'status'],
  upgrade: ['random', 'random', 'random', 'lease', 'release', 'helm', 'status'],
  rollback: ['random', 'random', 'random', 'helm', 'rollback', 'rolling', 'status'],
  delete: ['random', 'random', 'lease', 'release', 'helm', 'status', 'finalizer'],
};

/** Helm makes it before everything else, each time anew. */
const HOOK = `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-before", annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded"}}
`;

/** Instances of a chart, each lane in an Environment of its own, released by its deployer. */
export async function instanceTrade(arena: Arena): Promise<Trade> {
  const { plane, chartsDir, kube } = arena;
  const cluster = { kubeconfigPath: plane.kubeconfigPath, tools: { helm: plane.helm } };
  const world = await startInstanceWorld(cluster, '', { chartsDir, controllers: 'Elsewhere' });
  const chart = (version: Version) => ({
    'values.yaml': 'word: none\n',
    'templates/a-hook.yaml': HOOK,
    'templates/config.yaml': configOf(version),
    'templates/deployment.yaml': deploymentTemplate({ replicas: 1, container: 'main' }),
    ...(version === VERSIONS.broken ? { 'templates/zz-broken.yaml': BROKEN } : {}),
  });
  const type = await world.offer(`fault-${RUN}`, Object.fromEntries(Object.values(VERSIONS).map((version) => [version, chart(version)])));
  return {
    run: 'kill instance',
    moments: MOMENTS,
    open: async (index) => {
      const namespace = `life-${index}-${RUN}`;
      const worker = await arena.worker(namespace, { instances: namespace });
      await world.environment(namespace);
      await worker.kill('machine');
      return namespace;
    },
    worker: (namespace) => arena.worker(namespace, { instances: namespace }),
    live: async (subject) => lifeOf(kube, world, { type, subject }),
    close: () => world.stop(),
  };
}

interface Lived {
  readonly type: ResourceType;
  readonly subject: Subject;
}

/** Installed, upgraded, rolled back from a version that the api-server rejects, and deleted. */
function lifeOf(kube: Kube, world: InstanceWorld, lived: Lived): readonly Act[] {
  const { type, subject } = lived;
  const shared = { subject, end: () => Promise.resolve(), evidence: () => evidenceOf(kube, lived) };
  const specOf = (version: Version): object => ({ version, values: { word: version } });
  const ask = async (version: Version): Promise<void> => await world.merge(type, subject, { spec: specOf(version) });
  return [
    {
      ...shared,
      name: 'install',
      begin: () => world.create(type, { ...subject, spec: specOf(VERSIONS.first) }),
      faults: () => faultsOf(kube, lived, { version: VERSIONS.first, outcome: 'Ready' }),
    },
    {
      ...shared,
      name: 'upgrade',
      begin: () => ask(VERSIONS.second),
      faults: () => faultsOf(kube, lived, { version: VERSIONS.second, outcome: 'Ready' }),
    },
    {
      ...shared,
      name: 'rollback',
      begin: () => ask(VERSIONS.broken),
      faults: () => faultsOf(kube, lived, { version: VERSIONS.second, outcome: 'RolledBack' }),
    },
    {
      ...shared,
      name: 'delete',
      begin: () => kube.asController().delete({ ...type, ...subject }),
      faults: () => faultsOfDeleted(kube, lived),
    },
  ];
}

interface Wanted {
  /** What runs. */
  readonly version: Version;
  readonly outcome: 'Ready' | 'RolledBack';
}

function releaseOf({ type, subject }: Lived): Subject {
  return { namespace: subject.namespace, name: `${type.resource.slice(0, -1)}-${subject.name}` };
}

async function faultsOf(kube: Kube, lived: Lived, { version, outcome }: Wanted): Promise<string[]> {
  const instance = await find(kube, { ...lived.type, ...lived.subject });
  if (instance === undefined) return ['the instance is gone'];
  const status = parseInstanceStatus(instance);
  const [decisive, reason] = outcome === 'Ready' ? ['Ready', undefined] : ['Released', 'RolledBack'];
  const found = findCondition(status.conditions, decisive);
  const isThere = reason === undefined ? found?.status === 'True' && status.version === version : found?.reason === reason;
  if (!isThere || status.observedGeneration !== instance.metadata.generation) {
    return [`not ${outcome} at ${version}: ${found?.reason ?? 'no condition'}: ${found?.message ?? ''}`];
  }
  const faults: string[] = [];
  const { finalizers = [] } = instance.metadata;
  if (!isDeepStrictEqual(finalizers, [OURS.finalizer])) faults.push(`the finalizers are ${finalizers.join(', ')}`);
  if (findCondition(status.conditions, 'Reconciling') !== undefined) faults.push('it says that it goes on');
  if (status.release?.revision !== status.managedRevision)
    faults.push(`its newest revision is not the managed ${status.managedRevision ?? 0}`);
  const release = releaseOf(lived);
  return [
    ...faults,
    ...(await faultsOfRelease(kube, release, status.release)),
    ...(await faultsOfObjects(kube, release, version)),
    ...(await faultsOfLeases(kube, release)),
  ];
}

/** Nothing of the release is left: no record, no object, no lease. */
async function faultsOfDeleted(kube: Kube, lived: Lived): Promise<string[]> {
  if ((await find(kube, { ...lived.type, ...lived.subject })) !== undefined) return ['the instance is still there'];
  const release = releaseOf(lived);
  const { namespace, name } = release;
  const records = await recordsOf(kube, release);
  const faults = records.length > 0 ? [`release records are left: ${records.map(describe).join(', ')}`] : [];
  for (const type of [CONFIG_MAPS, DEPLOYMENTS, SECRET, SERVICE]) {
    const { items } = await kube.asController().listMetadata(type, { namespace });
    // Helm leaves a hook of an installation that did not come to its end, as it does without us.
    const left = items.filter(({ metadata }) => metadata.name === name);
    faults.push(...left.map(({ metadata }) => `${type.resource} ${metadata.name} is left`));
  }
  return [...faults, ...(await faultsOfLeases(kube, release))];
}

async function evidenceOf(kube: Kube, lived: Lived): Promise<string> {
  const { namespace } = lived.subject;
  const instance = await find(kube, { ...lived.type, ...lived.subject });
  const status = instance === undefined ? undefined : parseInstanceStatus(instance);
  const release = releaseOf(lived);
  const isAbout = (event: KubeObject): boolean => textAt(event, 'involvedObject', 'name') === lived.subject.name;
  const events = (await kube.asController().list(EVENT, { namespace })).items.filter(isAbout);
  return [
    `  spec       ${stringifyJson(instance?.spec ?? 'gone')}`,
    `  status     ${JSON.stringify(status === undefined ? 'gone' : { ...status, conditions: undefined, values: undefined, notes: undefined })}`,
    ...(status?.conditions ?? []).map(({ type, status: word, reason, message }) => `  condition  ${type}=${word} ${reason}: ${message}`),
    `  records    ${(await recordsOf(kube, release)).map(describe).join(', ')}`,
    ...events.map(
      (event) => `  event      ${textAt(event, 'reason') ?? ''} x${numberAt(event, 'count') ?? 1}: ${textAt(event, 'message') ?? ''}`,
    ),
  ].join('\n');
}
