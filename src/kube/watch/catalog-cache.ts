import { APP_DEFINITION, CATALOG_SOURCE, CRD, ENVIRONMENT, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { CatalogCache, Cluster } from '../../domain/kubernetes/cluster.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { isReservedGroup } from '../../domain/kubernetes/reserved-objects.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import type { Log } from '../../observe/log.ts';
import type { Kube } from '../kube.ts';
import { lossReason } from '../own-crds.ts';
import { createSchemaPacker } from './packed-schemas.ts';
import { startReflector, type Reflector, type ReflectorOptions } from './reflector.ts';

/** The types that the catalogue is made of. */
export const CATALOG_TYPES = {
  operators: OPERATOR,
  customResourceDefinitions: CRD,
  environments: ENVIRONMENT,
  appDefinitions: APP_DEFINITION,
  catalogSources: CATALOG_SOURCE,
} as const satisfies Record<keyof CatalogCache, ResourceType>;

/** The names of the CRDs of ours that are watched. */
const OWN_KINDS: readonly string[] = Object.values(CATALOG_TYPES)
  .filter(({ group }) => isReservedGroup(group))
  .map(({ resource, group }) => `${resource}.${group}`);

/** A CRD can have a mebibyte and a half. */
const CRDS_A_PAGE = 2;

/** A watch that breaks is taken up again within moments; only one that stays broken is reported. */
const FAILING_MS = 5_000;

/** The catalogue resources, live. */
export interface LiveCatalog extends CatalogCache {
  /** Each type by itself: a source of keys for controllers. */
  readonly reflectors: Readonly<Record<keyof CatalogCache, Reflector>>;
  synced(): boolean;
  /** Why what is here may not be what is in the cluster, a sentence each: a CRD of ours is missing, or a watch fails and has failed for a while. */
  faults(): readonly string[];
  /** Resolves when all of them have been listed. @throws the signal's reason when it aborts before. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /** Calls the listener for what is there and then for each change, with the type and the key (`namespace/name` or `name`). */
  onChange(listener: (type: keyof CatalogCache, key: string) => void): () => void;
}

/** Starts watching the catalogue resources as the controller, until the signal aborts. */
export function createCatalogCache(kube: Pick<Kube, 'asController' | 'invalidate'>, log: Log, signal: AbortSignal): LiveCatalog {
  const cluster = kube.asController();
  const start = (type: ResourceType, options?: Pick<ReflectorOptions, 'keep' | 'pages'>): Reflector =>
    startReflector({ cluster, type, signal, log, ...options });
  const reflectors = {
    operators: start(CATALOG_TYPES.operators),
    customResourceDefinitions: startCrds(start, cluster),
    environments: start(CATALOG_TYPES.environments),
    appDefinitions: start(CATALOG_TYPES.appDefinitions),
    catalogSources: start(CATALOG_TYPES.catalogSources),
  };
  // What is served changes with the CRDs.
  reflectors.customResourceDefinitions.onChange(() => kube.invalidate());
  const all = Object.values(reflectors);
  return {
    reflectors,
    operators: reflectors.operators.all,
    customResourceDefinitions: reflectors.customResourceDefinitions.all,
    environments: reflectors.environments.all,
    appDefinitions: reflectors.appDefinitions.all,
    catalogSources: reflectors.catalogSources.all,
    synced: () => all.every((reflector) => reflector.synced()),
    faults: () => [...lostKinds(reflectors.customResourceDefinitions), ...failures(reflectors)],
    waitForSync: async (until) => {
      await Promise.all(all.map((reflector) => reflector.waitForSync(until)));
    },
    onChange: (listener) => {
      const types = Object.keys(CATALOG_TYPES) as (keyof CatalogCache)[];
      const stops = types.map((type) => reflectors[type].onChange((key) => listener(type, key)));
      return () => stops.forEach((stop) => stop());
    },
  };
}

/** Our own CRDs that cannot be used. */
function lostKinds(crds: Reflector): string[] {
  if (!crds.synced()) return [];
  return OWN_KINDS.flatMap((name) => {
    const why = lossReason(crds.get(name));
    return why === undefined ? [] : [`the CRD ${name} is being restored: ${why}`];
  });
}

function failures(reflectors: LiveCatalog['reflectors']): string[] {
  const earliest = performance.now() - FAILING_MS;
  return Object.entries(reflectors).flatMap(([type, reflector]) => {
    const failing = reflector.failing();
    return failing === undefined || failing.since > earliest ? [] : [`the watch of ${type} fails: ${failing.why}`];
  });
}

type Start = (type: ResourceType, options: Pick<ReflectorOptions, 'keep' | 'pages'>) => Reflector;

/** The CRDs of a cluster can have hundreds of mebibytes, so they come a few at a time, and of each little is kept. */
function startCrds(start: Start, cluster: Pick<Cluster, 'pages'>): Reflector {
  const type = CATALOG_TYPES.customResourceDefinitions;
  const pack = createSchemaPacker();
  return start(type, {
    keep: (crd) => pack(withoutBallast(crd)),
    pages: (scope) => cluster.pages(type, { ...scope, content: 'whole', size: CRDS_A_PAGE }),
  });
}

/** Half of a CRD is bookkeeping. Of the managed fields the names of the managers stay. */
function withoutBallast(object: KubeObject): KubeObject {
  const { annotations = {}, ...metadata } = object.metadata;
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...kept } = annotations;
  const managedFields = listAt(metadata, 'managedFields').map((entry) => {
    const [manager, subresource] = [textAt(entry, 'manager'), textAt(entry, 'subresource')];
    return { manager, ...(subresource === undefined ? {} : { subresource }) };
  });
  return { ...object, metadata: { ...metadata, annotations: kept, managedFields } };
}
