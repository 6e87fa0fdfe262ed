import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { ChartLibrary } from '../../chart/chart-library.ts';
import { type ControllerParts, type KeySource, mapSource } from '../../controller/controller.ts';
import { parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import { isDedicatedTo } from '../../domain/app-instance/instance.ts';
import { APP_REVISION } from '../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { keyOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import { isObject, textAt } from '../../domain/core/read.ts';
import { buildCatalog, schemaOf } from '../../domain/catalog/app-catalog.ts';
import type { ImageRewrite } from '../../domain/workload/image-rewrite.ts';
import type { HelmProgram } from '../../helm/helm.ts';
import { createEventRecorder } from '../../kube/events.ts';
import type { Kube } from '../../kube/kube.ts';
import { type Reflector, startMetadataReflector, startReflector, waitForLists } from '../../kube/watch/reflector.ts';
import type { Log } from '../../observe/log.ts';
import { ENVIRONMENT_SETTINGS } from '../../reconcile/environment/environment-spec.ts';
import type { InstanceCount } from '../../reconcile/environment/ports.ts';
import { environmentOf } from '../../reconcile/instance/prerequisites.ts';
import { createInstanceReconciler } from '../../reconcile/instance/reconcile-instance.ts';
import { SETTLE_MS } from '../../reconcile/instance/release-actions.ts';
import { createReferrers, type ReferencePlace, type References, watchReferences } from '../../reconcile/helm-release/watch-references.ts';
import type { InstancePorts, SourceApp } from '../../reconcile/instance/ports.ts';
import { type DefinitionsInNamespaces, definitionsInNamespaces } from '../environment/watch-deployers.ts';
import { watchDedicated } from '../environment/watch-generated.ts';
import { chartRenderer, pinCachedCharts } from '../pin-cached-charts.ts';
import { type WatchedInstances, watchInstances, watchReleases } from './watch-instances.ts';

interface InstanceControllerInput {
  readonly kube: Kube;
  readonly helm: HelmProgram;
  readonly charts: ChartLibrary;
  /** All CustomResourceDefinitions. */
  readonly definitions: Pick<Reflector, 'all' | 'get' | 'onChange' | 'synced' | 'waitForSync'>;
  /** Operators; default: none. Instances of their kinds can have outputs, too. */
  readonly operators?: Pick<Reflector, 'all' | 'onChange'>;
  readonly environments: Pick<Reflector, 'all' | 'get' | 'onChange' | 'waitForSync'>;
  readonly appDefinitions: Pick<Reflector, 'all' | 'get' | 'onChange' | 'waitForSync'>;
  /** The records of all releases, as `watchRecords` watches them. */
  readonly records: Reflector;
  /** Those of `helm`. Default: none. */
  readonly imageRewrites?: readonly ImageRewrite[];
  /** Which instances are worked on, by namespace; default: all. Several worlds of tests share a cluster. */
  readonly isOwn?: (namespace: string) => boolean;
  /** Evaluates the health rules of people. Default: there are none. */
  readonly health?: NonNullable<InstancePorts['health']>;
  readonly leaseLost?: () => void;
  readonly auditLog: InstancePorts['auditLog'];
  readonly log: Log;
  readonly signal: AbortSignal;
}

interface InstanceController extends ControllerParts, DefinitionsInNamespaces {
  /** The names of AppDefinitions that have an instance more or less, or one with another spec. */
  readonly counted: KeySource;
  /** How many instances there are in a namespace. */
  inNamespace(namespace: string): InstanceCount;
  /** The namespaces in which instances have come, changed or gone. */
  readonly namespaces: KeySource;
  /** Resolves when everything that instances are made of has been listed, or after half a minute. */
  ready(): Promise<void>;
}

/** The controller of the instances of all kinds that AppDefinitions generate. */
export function instanceController(input: InstanceControllerInput): InstanceController {
  const { kube, definitions, environments, appDefinitions, records, isOwn = () => true, log, signal } = input;
  const revisions = startReflector({ cluster: kube.asController(), type: APP_REVISION, keep: withoutSchema, log, signal });
  // Without these an instance has no chart, or no place, which it would report.
  const needed = [appDefinitions, revisions, definitions, environments];
  const instances = watchInstances({ kube, definitions, log, signal });
  const ofDefinition = (name: string): readonly string[] => instances.keys(({ definition }) => definition === name);
  const ofRevision = (name: string): readonly string[] => definitionsAt(appDefinitions, revisions.get(name)).flatMap(ofDefinition);
  const ofEnvironment = (name: string): readonly string[] =>
    instances.keys((_kind, { metadata }) => environmentOf(environments.all(), metadata.namespace ?? '')?.metadata.name === name);
  const dedicated = watchNamespaces({ kube, log, signal }, instances);
  const referrers = createReferrers();
  const references = watchReferences({ referrers, watch: watchPlaces(input), signal });
  const watched = watchReleases({ kube, records, log, signal }, instances);
  const known = { definitions: appDefinitions, revisions, watched, changedNamespaces: dedicated.changed };
  const ports = portsOf(input, { ...known, references: { ...referrers, revisionOf: references.revisionOf } });
  const sources = [
    instances,
    references,
    ...dedicated.sources,
    // What an app declares as outputs can be other ones.
    withDependents(changedDefinitions(appDefinitions, instances), instances, references),
    mapSource(revisions, ofRevision),
    mapSource(environments, ofEnvironment),
    ...watched.sources,
  ];
  return {
    name: 'app-instance',
    sources: sources.map((source) => mapSource(source, (key) => (isOwn(key.split('/')[1] ?? '') ? [key] : []))),
    reconcile: createInstanceReconciler(ports, instances.kindOf),
    workers: Math.max(2, availableParallelism()),
    slow: { afterMs: 2_000, max: 6 },
    restMs: SETTLE_MS,
    counted: instances.counted,
    inNamespace: (namespace) => countIn(instances, namespace),
    namespaces: mapSource(instances, (key) => [key.split('/')[1] ?? '']),
    ...definitionsInNamespaces(instances, definitions),
    ready: async () => await waitForLists(needed, signal),
  };
}

function countIn(instances: WatchedInstances, namespace: string): InstanceCount {
  const found = instances.keys((_kind, { metadata }) => metadata.namespace === namespace);
  return { atLeast: found.length, isListed: instances.synced() };
}

/**
 * The AppDefinition that a revision is the current one of. Only then it is news: that an AppDefinition has another revision is a change of its own, which may be seen
 * before the revision.
 */
function definitionsAt(definitions: Pick<Reflector, 'get'>, revision: KubeObject | undefined): readonly string[] {
  const name = revision?.metadata.labels?.[OURS.appDefinitionLabel] ?? '';
  const definition = definitions.get(name);
  const isCurrent = definition !== undefined && parseAppDefinitionStatus(definition).revision === revision?.metadata.name;
  return isCurrent ? [name] : [];
}

function watchPlaces({ kube, log }: Pick<InstanceControllerInput, 'kube' | 'log'>) {
  const cluster = kube.asController();
  return (place: ReferencePlace, signal: AbortSignal): Reflector => startMetadataReflector({ ...place, cluster, signal, log });
}

interface WatchedNamespaces {
  /** The keys of the instances whose own namespace, or something of Chandlery in it, was changed. */
  readonly sources: readonly KeySource[];
  readonly changed: Set<string>;
}

function watchNamespaces(input: Pick<InstanceControllerInput, 'kube' | 'log' | 'signal'>, instances: WatchedInstances): WatchedNamespaces {
  const changed = new Set<string>();
  const ofNamespace = (namespace: string): readonly string[] => {
    const keys = instances.keys((kind, { metadata }) => isDedicatedTo(namespace, kind, metadata));
    if (keys.length > 0) changed.add(namespace);
    return keys;
  };
  return { sources: watchDedicated(input).map((source) => mapSource(source, ofNamespace)), changed };
}

function portsOf(
  { kube, helm, charts, environments, imageRewrites = [], health, leaseLost, ...input }: InstanceControllerInput,
  watched: Pick<InstancePorts, 'revisions' | 'watched' | 'references' | 'changedNamespaces'> & {
    readonly definitions: Pick<Reflector, 'all' | 'get'>;
  },
): InstancePorts {
  const { auditLog, log, signal } = input;
  const cluster = kube.asController();
  return {
    ...watched,
    cluster,
    environments,
    appOf: (type) =>
      appOf(type, { operators: input.operators?.all() ?? [], crds: input.definitions.all(), definitions: watched.definitions.all() }),
    environmentSettings: ENVIRONMENT_SETTINGS,
    asDeployer: (account) => ({
      cluster: kube.asServiceAccount(account),
      helm: pinCachedCharts(helm.asServiceAccount(account), charts),
    }),
    discovery: kube,
    kubernetesVersion: kube.kubernetesVersion,
    charts,
    renderChart: chartRenderer({ kube, charts, imageRewrites }, helm),
    imageRewrites,
    ...(health === undefined ? {} : { health }),
    events: createEventRecorder({ cluster, log, signal }),
    auditLog,
    log,
    now: () => new Date(),
    holder: randomUUID(),
    ...(leaseLost === undefined ? {} : { leaseLost }),
  };
}

/** The schema of a chart can be large, and nothing here needs it: values are validated by that of the chart itself. */
function withoutSchema(revision: KubeObject): KubeObject {
  const { schema: _schema, ...spec } = isObject(revision.spec) ? revision.spec : {};
  return { ...revision, spec };
}

interface CatalogObjects {
  readonly operators: readonly KubeObject[];
  readonly crds: readonly KubeObject[];
  readonly definitions: readonly KubeObject[];
}

/** The app of a kind, whoever brings it. */
function appOf(
  { group, kind }: Parameters<InstancePorts['appOf']>[0],
  { operators, crds, definitions }: CatalogObjects,
): SourceApp | undefined {
  const own = crds.filter(({ spec }) => textAt(spec, 'group') === group && textAt(spec, 'names', 'kind') === kind);
  const [entry] = own.length === 0 ? [] : buildCatalog(operators, own, definitions);
  if (entry === undefined) return undefined;
  const { version, plural: resource } = entry.summary;
  const { connection, sensitive } = entry.kindBlock;
  return { group, version, resource, kind, connection, schema: schemaOf(entry.crd, version), sensitive };
}

/** The keys of a source, and of the instances that take outputs of these. */
function withDependents(source: KeySource, { kindOf }: WatchedInstances, { referrersOf }: References): KeySource {
  return mapSource(source, (key) => {
    const [resource = '', namespace = '', name = ''] = key.split('/');
    const kind = kindOf(resource);
    return [key, ...(kind === undefined ? [] : referrersOf({ type: kind, namespace, name }))];
  });
}

interface Known {
  readonly content: string;
  /** Keys of instances whose turn it is in a roll-out, and uids of those that the limits admit or refuse, the latter with a mark. */
  readonly decided: ReadonlySet<string>;
}

/**
 * The keys of the instances that a change of their AppDefinition matters to: all of them for another spec or chart, and else those whose turn in a roll-out has come, and those that its limits were decided for.
 * Its counts change each second while a roll-out runs, and are nothing to its instances.
 */
function changedDefinitions(definitions: Pick<Reflector, 'get' | 'onChange'>, instances: WatchedInstances): KeySource {
  const seen = new Map<string, Known>();
  const keysFor = (name: string): readonly string[] => {
    const before = seen.get(name);
    const now = knownOf(definitions.get(name));
    seen.set(name, now);
    const isOther = before?.content !== now.content;
    return instances.keys(({ definition }, { metadata }) => {
      if (definition !== name) return false;
      const keys = [keyOf({ metadata }), metadata.uid ?? '', `rejected ${metadata.uid ?? ''}`];
      return isOther || keys.some((key) => now.decided.has(key) && !before.decided.has(key));
    });
  };
  return { onChange: (listener) => definitions.onChange((name) => keysFor(name).forEach(listener)) };
}

function knownOf(definition: KubeObject | undefined): Known {
  if (definition === undefined) return { content: '', decided: new Set() };
  const { generation = 0, uid = '' } = definition.metadata;
  const { revision = '', rollout, limits } = parseAppDefinitionStatus(definition);
  const decided = [rollout?.admitted, limits?.admitted, limits?.rejected.map((one) => `rejected ${one}`)].flatMap((list) => list ?? []);
  return { content: JSON.stringify([uid, generation, revision]), decided: new Set(decided) };
}
