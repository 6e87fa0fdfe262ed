import { join } from 'node:path';
import { CLUSTER_ROLE, ENVIRONMENT } from '../../src/domain/kubernetes/resource-types.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import { operatorLabelValue } from '../../src/domain/operator/operator-spec.ts';
import type { JsonObject, KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { indexEnvironments } from '../../src/compose/index-environments.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { createCatalogCache } from '../../src/kube/watch/catalog-cache.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from './open-kube.ts';
import { createLog } from '../../src/observe/log.ts';
import { explainWebhooks } from '../../src/kube/explain-webhooks.ts';
import type { CustomHealthRule } from '../../src/domain/operator/kind/health-fields.ts';
import { catalogRules, createHealthEvaluator } from '../../src/operation/health/health-evaluator.ts';
import { createNamespaceMemory } from '../../src/operation/environment/namespace-memory.ts';
import type { Ports } from '../../src/operation/ports.ts';
import { rolesOf } from '../../src/reconcile/operator/acts/app-roles.ts';
import { repoRoot, sharedCluster, type TestCluster } from './cluster.ts';
import { NO_DEPLOYMENTS, sampleAuditLog } from './sample-audit-log.ts';
import { runEnvironmentController } from './environment-controller.ts';
import { eventually } from './eventually.ts';

/** A kind that an Operator of the tests has brought. */
export interface WorldKind {
  readonly kind: string;
  readonly plural: string;
  /** The structural schema of `spec`; without one the kind has `members` alone. */
  readonly schema?: JsonObject;
  /** The schemas of what stands beside it. */
  readonly members?: JsonObject;
  /** Laid out like `spec`; without one like the resource. */
  readonly defaults: JsonObject;
  /** `catalog.kinds[].health` */
  readonly health?: readonly CustomHealthRule[];
}

export interface AppWorldInput {
  /** The environment, its namespace and its Operator are called so. */
  readonly name: string;
  /** The names of other environments that the test makes. */
  readonly alsoEnvironments?: readonly string[];
  readonly group: string;
  readonly kinds: readonly WorldKind[];
  readonly developer: Actor;
}

/** Kinds in the catalogue, and an environment with a developer, on the cluster of the tests. */
export interface AppWorld {
  readonly cluster: TestCluster;
  readonly kube: Kube;
  readonly ports: Pick<
    Ports,
    | 'clusters'
    | 'catalog'
    | 'discovery'
    | 'auditLog'
    | 'namespaceMemory'
    | 'index'
    | 'health'
    | 'publicUrl'
    | 'changeRequests'
    | 'deployments'
  >;
  stop(): Promise<void>;
}

const DEFINITIONS: ResourceType = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const OPERATORS: ResourceType = { group: 'operatorcontroller.kubeplus', version: 'v1', resource: 'operators' };

export async function startAppWorld(input: AppWorldInput): Promise<AppWorld> {
  const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
  const ending = new AbortController();
  const { signal } = ending;
  const cluster = await sharedCluster();
  const kube = openKube(cluster.kubeconfigPath);
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
  const catalog = createCatalogCache(kube, log, signal);
  const isOwn = (name: string): boolean => name === input.name || (input.alsoEnvironments ?? []).includes(name);
  const running = runEnvironmentController({ kube, sources: [catalog.reflectors.environments], isOwn, log, signal });
  await prepareCluster(kube, input);
  const clusters = explainWebhooks(kube, catalog);
  const index = indexEnvironments({ kube, clusters, log, signal });
  const ports = {
    clusters: index.awaitWrites(clusters),
    index,
    discovery: kube,
    catalog,
    auditLog: sampleAuditLog(),
    deployments: NO_DEPLOYMENTS,
    namespaceMemory: createNamespaceMemory(),
    changeRequests: { now: () => Date.now(), appliedBy: 'Impersonation' as const },
    health: createHealthEvaluator({ rules: catalogRules(catalog) }),
    publicUrl: 'http://localhost:8080',
  };
  await eventually(async () => await isReady({ kube, catalog }, input), 'a developer may create', 60);
  return {
    cluster,
    kube,
    ports,
    stop: async () => {
      ending.abort();
      await running;
      await kube.close();
      await cluster.stop();
    },
  };
}

async function prepareCluster(kube: Kube, { name, group, kinds, developer }: AppWorldInput): Promise<void> {
  const cluster = kube.asController();
  const label = operatorLabelValue(name, name);
  await cluster.create(ENVIRONMENT, {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name },
    spec: { groups: developer.groups.map((member) => ({ name: member, role: 'developer' })) },
  });
  const spaces = { group: '', version: 'v1', resource: 'namespaces' };
  await eventually(async () => (await cluster.get({ ...spaces, name })).metadata.name === name, 'the namespace is there');
  for (const kind of kinds) {
    const object = definitionOf(kind, group, label);
    await cluster.create(DEFINITIONS, object);
    const { plural } = kind;
    const fact = { name: `${plural}.${group}`, kind: kind.kind, origin: 'crds', established: true, object, group, plural } as const;
    for (const role of rolesOf({ ...fact, namespaced: true, version: 'v1', labelled: true }, label)) {
      await cluster.apply(CLUSTER_ROLE, role, { fieldManager: 'test', force: 'force' });
    }
  }
  await cluster.create(OPERATORS, {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name, namespace: name },
    spec: {
      name,
      chartURL: `https://charts.example.com/${name}-1.0.0.tgz`,
      catalog: {
        kinds: kinds.map(({ kind, schema, defaults, health = [] }) => ({
          kind,
          health,
          defaults: schema === undefined ? defaults : { spec: defaults },
        })),
      },
    },
  });
}

function definitionOf({ kind, plural, schema, members = {} }: WorldKind, group: string, label: string): KubeObject {
  const openAPIV3Schema = { type: 'object', properties: { ...members, ...(schema === undefined ? {} : { spec: schema }) } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'chandlery.dev/operator': label } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

async function isReady(
  { kube, catalog }: { readonly kube: Kube; readonly catalog: Ports['catalog'] },
  { name, group, kinds, developer }: AppWorldInput,
): Promise<boolean> {
  const known = new Set(catalog.customResourceDefinitions().map(({ metadata }) => metadata.name));
  if (kinds.some(({ plural }) => !known.has(`${plural}.${group}`))) return false;
  const onInstances = kinds.flatMap(({ plural: resource }) =>
    ['create', 'update'].map((verb) => ({ verb, group, resource, namespace: name })),
  );
  const permissions = [...onInstances, { verb: 'get', group: ENVIRONMENT.group, resource: ENVIRONMENT.resource, name }];
  const verdicts = await Promise.all(permissions.map(async (permission) => await kube.asActor(developer).review(permission)));
  return verdicts.every(({ allowed }) => allowed);
}
