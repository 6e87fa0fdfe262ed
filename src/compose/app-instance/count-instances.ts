import { type KeySource, mapSource } from '../../controller/controller.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { keyOf, type KubeObject, parseKey, type ResourceType } from '../../domain/kubernetes/resource.ts';
import { operatorLabelValue } from '../../domain/operator/operator-spec.ts';
import type { Kube } from '../../kube/kube.ts';
import { type Reflector, startMetadataReflector } from '../../kube/watch/reflector.ts';
import type { Log } from '../../observe/log.ts';
import type { InstanceCount } from '../../reconcile/environment/ports.ts';
import { crdFactOf } from '../../reconcile/operator/facts/observe-crds.ts';

interface CountInstancesInput {
  readonly kube: Pick<Kube, 'asController'>;
  /** All CustomResourceDefinitions. */
  readonly definitions: Pick<Reflector, 'get' | 'onChange' | 'synced'>;
  readonly log: Log;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** How many instances there are of the kinds that Operators bring, as they are watched by their names. */
export interface InstanceCounts {
  /** Undefined while they have not been listed. */
  ofCrd(name: string): number | undefined;
  inNamespace(namespace: string): InstanceCount;
  /** The names of CRDs whose number has changed; a number that is neither new nor zero comes a little later, together with others. */
  readonly crds: KeySource;
  /** The namespaces in which the number has changed, in the same way. */
  readonly namespaces: KeySource;
}

/** Follows the CRDs with the label of an Operator, and watches the metadata of the instances of each. */
export function countInstances({ definitions, ...input }: CountInstancesInput): InstanceCounts {
  const kinds = new Map<string, CountedKind>();
  const [crds, namespaces] = [latestChanges(input.signal), latestChanges(input.signal)];
  const follow = (name: string): void => {
    const type = countedType(definitions.get(name));
    const known = kinds.get(name);
    if (type?.version === known?.type.version) return;
    known?.stop.abort();
    kinds.delete(name);
    for (const namespace of known?.byNamespace.keys() ?? []) namespaces.tell(namespace, 'now');
    if (type !== undefined)
      kinds.set(name, watchKind(input, type, { counted: (when) => crds.tell(name, when), countedIn: namespaces.tell }));
  };
  definitions.onChange(follow);
  return {
    ofCrd: (name) => {
      const kind = kinds.get(name);
      return kind?.instances.synced() === true ? kind.names.size : undefined;
    },
    inNamespace: (namespace) => {
      const all = [...kinds.values()];
      const isListed = definitions.synced() && all.every(({ instances }) => instances.synced());
      return { atLeast: all.reduce((sum, { byNamespace }) => sum + (byNamespace.get(namespace) ?? 0), 0), isListed };
    },
    crds,
    namespaces,
  };
}

/** The keys of the Operators, `<namespace>/<name>`, that have more or fewer instances than before. */
export function operatorsCounted(
  { crds }: Pick<InstanceCounts, 'crds'>,
  { definitions, operators }: { readonly definitions: Pick<Reflector, 'get'>; readonly operators: Pick<Reflector, 'all'> },
): KeySource {
  return mapSource(crds, (name) => {
    const label = definitions.get(name)?.metadata.labels?.[OURS.operatorLabel];
    const owners = operators.all().filter(({ metadata }) => operatorLabelValue(metadata.namespace ?? '', metadata.name) === label);
    return owners.map((operator) => keyOf(operator));
  });
}

/** Instances by namespace, of all kinds of apps. */
export interface InstancesInNamespaces {
  readonly instancesIn: (namespace: string) => InstanceCount;
  /** The namespaces in which the number may have changed. */
  readonly namespaces: readonly KeySource[];
}

/** The instances of Operators and those of generated kinds together. */
export function instancesInNamespaces(...all: readonly Pick<InstanceCounts, 'inNamespace' | 'namespaces'>[]): InstancesInNamespaces {
  return {
    instancesIn: (namespace) => {
      const counts = all.map(({ inNamespace }) => inNamespace(namespace));
      const atLeast = counts.reduce((sum, count) => sum + count.atLeast, 0);
      return { atLeast, isListed: counts.every(({ isListed }) => isListed) };
    },
    namespaces: all.map(({ namespaces }) => namespaces),
  };
}

interface CountedKind {
  readonly type: ResourceType;
  readonly instances: Reflector;
  readonly names: ReadonlySet<string>;
  readonly byNamespace: ReadonlyMap<string, number>;
  readonly stop: AbortController;
}

/** `now` when something has come where there was nothing, or the last one has gone. */
type When = 'now' | 'soon';

interface Listeners {
  readonly counted: (when: When) => void;
  readonly countedIn: (namespace: string, when: When) => void;
}

function watchKind(
  { kube, log, signal }: Omit<CountInstancesInput, 'definitions'>,
  type: ResourceType,
  { counted, countedIn }: Listeners,
): CountedKind {
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const instances = startMetadataReflector({ cluster: kube.asController(), type, log, signal: until });
  const names = new Set<string>();
  const byNamespace = new Map<string, number>();
  instances.onChange((key) => {
    const isThere = instances.get(key) !== undefined;
    if (isThere === names.has(key)) return;
    const { namespace = '' } = parseKey(key);
    const count = (byNamespace.get(namespace) ?? 0) + (isThere ? 1 : -1);
    if (isThere) names.add(key);
    else names.delete(key);
    if (count === 0) byNamespace.delete(namespace);
    else byNamespace.set(namespace, count);
    counted(names.size === (isThere ? 1 : 0) ? 'now' : 'soon');
    countedIn(namespace, count === (isThere ? 1 : 0) ? 'now' : 'soon');
  });
  void instances.waitForSync(until).then(
    () => counted('now'),
    () => undefined,
  );
  return { type, instances, names, byNamespace, stop };
}

/** What to count of a CRD; undefined for a CRD without an Operator, or one that is not served. */
function countedType(definition: KubeObject | undefined): ResourceType | undefined {
  const label = definition?.metadata.labels?.[OURS.operatorLabel];
  if (definition === undefined || label === undefined) return undefined;
  const { group, version, plural, established } = crdFactOf(definition, label);
  return established && version !== '' ? { group, version, resource: plural } : undefined;
}

const SOON_MS = 2_000;

/** Tells keys at once, or each at most once in two seconds. */
function latestChanges(signal: AbortSignal): KeySource & { readonly tell: (key: string, when: When) => void } {
  const listeners = new Set<(key: string) => void>();
  const waiting = new Map<string, NodeJS.Timeout>();
  const emit = (key: string): void => {
    clearTimeout(waiting.get(key));
    waiting.delete(key);
    for (const listener of listeners) listener(key);
  };
  signal.addEventListener('abort', () => waiting.forEach((timer) => clearTimeout(timer)), { once: true });
  return {
    tell: (key, when) => {
      if (when === 'now') emit(key);
      else if (!waiting.has(key) && !signal.aborted) waiting.set(key, setTimeout(emit, SOON_MS, key).unref());
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
