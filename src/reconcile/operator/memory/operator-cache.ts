import { CLUSTER_ROLE, CRD, ENDPOINT_SLICE, OPERATOR, SECRET } from '../../../domain/kubernetes/resource-types.ts';
import { keyOf, type KubeObject, type ResourceRef, type ResourceType } from '../../../domain/kubernetes/resource.ts';
import { AppError } from '../../../domain/core/errors.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { Cluster, ListOptions } from '../../../domain/kubernetes/cluster.ts';
import { createIndexer, type Indexer, type WatchedType } from '../../../controller/indexer.ts';
import {
  crdKey,
  keysOfCaller,
  keysOfCrd,
  keysOfOperator,
  keysOfRecord,
  keysOfReleased,
  keysOfRole,
  keysOfSlice,
  labelKey,
  releaseKey,
  serviceKey,
} from './index-keys.ts';
import { CALLERS } from '../../../domain/operator/called-services.ts';
import { SLICES_OF } from '../facts/observe-callers.ts';
import { WORKLOADS } from '../facts/observe-health.ts';
import type { CallerResource } from './watched-types.ts';
import type { ReleaseRef } from '../../helm-release/ports.ts';

/** What is watched for the sake of Operators. */
export interface WatchedTypes {
  readonly operators: WatchedType;
  /** All CustomResourceDefinitions. */
  readonly definitions: WatchedType;
  /** The Secrets in which Helm keeps its releases, by their metadata. */
  readonly records: WatchedType;
  /** The ClusterRoles with our label. */
  readonly roles: WatchedType;
  /** What Helm installed of each type of workload, with as much as its health needs. */
  readonly workloads: Readonly<Record<'deployments' | 'statefulsets' | 'daemonsets', WatchedType>>;
  /** What Helm installed that has the api-server call a Service. */
  readonly callers: Readonly<Record<CallerResource, WatchedType>>;
  /** The EndpointSlices of Services that Helm installed. */
  readonly slices: WatchedType;
}

/** The reads that memory can answer. */
export type Reads = Pick<Cluster, 'get' | 'list' | 'listMetadata'>;

/** Whose reconciliation asks. */
export interface Subject extends ReleaseRef {
  /** The value of the label `chandlery.dev/operator`. */
  readonly label: string;
  /** Names of CRDs that the Operator says are its own. */
  readonly claims: readonly string[];
  /** The label of its former Operator, where it was renamed. */
  readonly former?: string;
}

/** What is known of Operators and what they brought, without asking the cluster; it may be a moment old. */
export interface OperatorCache {
  /** Undefined when there is none, or while not everything has been listed. */
  operator(key: string): KubeObject | undefined;
  /** Answers what one Operator's reconciliation asks for: from memory what is watched, everything else by the reads given. */
  readsFor(who: Subject, live: Reads): Reads;
  /** Calls the listener with the key of an Operator when something that it brought, or may have brought, changes. */
  onChange(listener: (key: string) => void): () => void;
}

type Answer = (options: ListOptions) => readonly KubeObject[] | undefined;

/** Makes the indexes over what is watched. */
export function createOperatorCache(types: WatchedTypes): OperatorCache {
  const operators = createIndexer(types.operators, keysOfOperator);
  const definitions = createIndexer(types.definitions, keysOfCrd);
  const records = createIndexer(types.records, keysOfRecord);
  const roles = createIndexer(types.roles, keysOfRole);
  const workloads = new Map(Object.entries(types.workloads).map(([resource, type]) => [resource, createIndexer(type, keysOfReleased)]));
  const callers = new Map(Object.entries(types.callers).map(([resource, type]) => [resource, createIndexer(type, keysOfCaller)]));
  const slices = createIndexer(types.slices, keysOfSlice);
  const { operators: _operators, workloads: _workloads, callers: _callers, ...single } = types;
  const all = [types.operators, ...Object.values(single), ...Object.values(types.workloads), ...Object.values(types.callers)];
  const indexes: Indexes = { definitions, records, roles, workloads, callers, slices };
  return {
    operator: (key) => (all.every((type) => type.synced()) ? types.operators.get(key) : undefined),
    readsFor: (who, live) => readsFor(types, answersFor(indexes, who), live),
    onChange: (listener) => {
      const notify = (indexKeys: readonly string[]): void => {
        const keys = new Set(indexKeys.flatMap((indexKey) => operators.having(indexKey).map((operator) => keyOf(operator))));
        for (const key of keys) listener(key);
      };
      const released = [definitions, records, roles, ...workloads.values(), ...callers.values()];
      const stops = released.map((index) => index.onChange(notify));
      const stopSlices = slices.onChange((indexKeys) => {
        notify(indexKeys.flatMap((indexKey) => [...callers.values()].flatMap((index) => index.having(indexKey).flatMap(keysOfReleased))));
        notify(indexKeys.flatMap((indexKey) => definitions.having(indexKey).flatMap(keysOfCrd)));
      });
      return () => [...stops, stopSlices].forEach((stop) => stop());
    },
  };
}

interface Indexes {
  readonly definitions: Indexer;
  readonly records: Indexer;
  readonly roles: Indexer;
  readonly workloads: ReadonlyMap<string, Indexer>;
  readonly callers: ReadonlyMap<string, Indexer>;
  readonly slices: Indexer;
}

/** What a list holds of this Operator's, by type; undefined where the question is another one than those that memory can answer. */
function answersFor({ definitions, records, roles, workloads, callers, slices }: Indexes, who: Subject): Map<string, Answer> {
  const asked = ({ namespace, labelSelector, fieldSelector }: ListOptions): string =>
    [namespace ?? '', labelSelector ?? '', fieldSelector ?? ''].join(' ').trim();
  const when = (question: string, objects: () => readonly KubeObject[]): Answer => {
    return (options) => (asked(options) === question ? objects() : undefined);
  };
  const release = releaseKey(who);
  const roleLabels = [who.label, ...(who.former === undefined ? [] : [who.former])];
  const indexKeys = [...roleLabels.map(labelKey), release, ...who.claims.map(crdKey)];
  const answers: [string, Answer][] = [
    [pathOf(CRD), when('', () => [...new Set(indexKeys.flatMap((indexKey) => definitions.having(indexKey)))])],
    [pathOf(SECRET), when(`${who.namespace} owner=helm,name=${who.release}`, () => records.having(release))],
    [pathOf(CLUSTER_ROLE), (options) => rolesOf(roles, roleLabels, asked(options))],
  ];
  answers.push([pathOf(ENDPOINT_SLICE), (options) => slicesIn(slices, options)]);
  for (const type of [...WORKLOADS, ...CALLERS]) {
    const index = workloads.get(type.resource) ?? callers.get(type.resource);
    if (index !== undefined) answers.push([pathOf(type), when('app.kubernetes.io/managed-by=Helm', () => index.having(release))]);
  }
  return new Map(answers);
}

function rolesOf(roles: Indexer, labels: readonly string[], question: string): readonly KubeObject[] | undefined {
  const label = labels.find((one) => question === `${OURS.operatorLabel}=${one}`);
  return label === undefined ? undefined : roles.having(labelKey(label));
}

/** Only where there are any: the Service of somebody else than Helm has others. */
function slicesIn(slices: Indexer, { namespace = '', labelSelector = '' }: ListOptions): readonly KubeObject[] | undefined {
  const [label, name = ''] = labelSelector.split('=');
  const found = label === SLICES_OF ? slices.having(serviceKey({ namespace, name })) : [];
  return found.length === 0 ? undefined : found;
}

function readsFor(types: WatchedTypes, answers: ReadonlyMap<string, Answer>, live: Reads): Reads {
  const listed = (type: ResourceType, options: ListOptions = {}): readonly KubeObject[] | undefined => answers.get(pathOf(type))?.(options);
  const whole = new Map<string, WatchedType>([
    [pathOf(OPERATOR), types.operators],
    [pathOf(CRD), types.definitions],
    ...WORKLOADS.map((type): [string, WatchedType] => [pathOf(type), types.workloads[type.resource as keyof WatchedTypes['workloads']]]),
  ]);
  return {
    get: async (ref, options) => {
      const type = whole.get(pathOf(ref));
      return type === undefined ? live.get(ref, options) : known(type, ref);
    },
    list: async (type, options) => {
      // Of Helm's records, only metadata is held.
      const items = pathOf(type) === pathOf(SECRET) ? undefined : listed(type, options);
      return items === undefined ? live.list(type, options) : { items, resourceVersion: '' };
    },
    listMetadata: async (type, options) => {
      const items = listed(type, options);
      return items === undefined ? live.listMetadata(type, options) : { items, resourceVersion: '' };
    },
  };
}

function known(type: WatchedType, ref: ResourceRef): KubeObject {
  const key = ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;
  const object = type.get(key);
  if (object === undefined) throw new AppError('NotFound', `get ${ref.resource} "${key}": the resource is not watched`);
  return object;
}

function pathOf({ group, version, resource }: ResourceType): string {
  return `${group}/${version}/${resource}`;
}
