import { httpsAddress } from '../core/https-address.ts';
import { compareTexts } from '../core/compare-texts.ts';
import { at, booleanAt, listAt, numberAt, objectAt, textAt } from '../core/read.ts';
import type { Health } from '../health/health.ts';
import { healthOf } from '../health/rules/health-of.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey, namespaceOf, uidOf } from '../tree/object-index.ts';
import { type ContainerImage, imagesOf, templateOf, trackOf, type Track, versionOf } from './pod-template.ts';
import { revisionsOf, type WorkloadRevision } from './revisions.ts';
import { isBatch, type Rollout, rolloutOf } from './rollout.ts';

/** What runs pods, at the top of their owners: as `kubectl rollout status` and `kubectl get pods` together tell it. */
export interface Workload {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped ones. */
  readonly namespace?: string;
  readonly name: string;
  /** RFC 3339. */
  readonly created: string;
  /** Absent when its kind has no rule and no conditions. */
  readonly health?: Health;
  readonly track: Track;
  /** Pods that should be ready; of a Job, completions; of a CronJob, those of its last Job. */
  readonly desired: number;
  /** Pods that are ready, old revisions included; of Jobs, completions. */
  readonly ready: number;
  /** Of the containers of all its pods. */
  readonly restarts: number;
  /** Of its pod template, or of its pods where it has none. */
  readonly images: readonly ContainerImage[];
  /** The label `app.kubernetes.io/version`, else the tag of the first image; empty when there is neither. */
  readonly version: string;
  readonly rollout: Rollout;
  /** The current one first, then the newest; those without pods are left out, but for the current one. */
  readonly revisions: readonly WorkloadRevision[];
  readonly change: WorkloadChange;
}

/** The last change of a workload's own fields. */
export interface WorkloadChange {
  /** The field manager, such as `kubectl-client-side-apply`; empty when nothing says so. */
  readonly manager: string;
  /** RFC 3339; empty when nothing says so. */
  readonly time: string;
  /** The annotation `kubernetes.io/change-cause`. */
  readonly cause: string;
  /** The annotations `app.gitlab.com/*` by what follows the slash: `app`, `env`, … */
  readonly gitlab: Readonly<Record<string, string>>;
  /** The https address of the pipeline that made the change, from an annotation such as `ci.example.com/pipeline-url`; empty when there is none. */
  readonly pipeline: string;
}

const WORKLOADS = new Set(['apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'batch/CronJob', '/ReplicationController']);
const CONTROLLER_REVISION = 'apps/ControllerRevision';
const MAX_TEXT_LENGTH = 300;
const MAX_ANNOTATIONS = 10;

/**
 * The workloads among objects, by kind and name: Deployments, StatefulSets, DaemonSets, Jobs and CronJobs; ReplicaSets and Pods without an owner among the objects; custom
 * resources that own pods, or that have replicas and a pod template, such as Rollouts of Argo and CloneSets of OpenKruise.
 *
 * @param objects of one or more namespaces: workloads, ReplicaSets, ControllerRevisions, Jobs and Pods in full; all others are ignored.
 */
export function workloadsOf(objects: readonly KubeObject[]): Workload[] {
  const byUid = new Map(objects.map((object) => [uidOf(object), object]));
  const families = new Map<
    KubeObject,
    { carriers: Set<KubeObject>; pods: { pod: KubeObject; carrier?: KubeObject }[]; history: KubeObject[] }
  >();
  const familyOf = (head: KubeObject) => {
    const family = families.get(head) ?? { carriers: new Set(), pods: [], history: [] };
    families.set(head, family);
    return family;
  };
  for (const object of byUid.values()) {
    const { head, carrier } = placeOf(object, byUid);
    if (head === undefined) continue;
    const family = familyOf(head);
    if (carrier !== undefined) family.carriers.add(carrier);
    if (kindKey(object) === CONTROLLER_REVISION) family.history.push(object);
    if (kindKey(object) === '/Pod') family.pods.push({ pod: object, ...(carrier === undefined ? {} : { carrier }) });
  }
  return [...families]
    .map(([head, { carriers, ...family }]) => workloadOf(head, revisionsOf(head, { ...family, carriers: [...carriers] })))
    .sort((a, b) => compareTexts(a.kind, b.kind) || compareTexts(a.name, b.name) || compareTexts(a.namespace ?? '', b.namespace ?? ''));
}

interface Place {
  /** Absent for what is neither a workload nor part of one. */
  readonly head?: KubeObject;
  /** The ReplicaSet or Job between a workload and its pods. */
  readonly carrier?: KubeObject;
}

function placeOf(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>): Place {
  const key = kindKey(object);
  const owner = ownerOf(object, byUid);
  if (key === '/Pod') {
    const above = owner === undefined ? undefined : ownerPlace(owner, byUid);
    return above ?? { head: owner ?? object };
  }
  if (key === CONTROLLER_REVISION) return owner === undefined ? {} : { head: owner };
  if (key === 'apps/ReplicaSet' || key === 'batch/Job') return ownerPlace(object, byUid) ?? { head: object };
  return WORKLOADS.has(key) || hasReplicas(object) ? { head: object } : {};
}

/** A ReplicaSet of a workload, or a Job of a CronJob. */
function ownerPlace(carrier: KubeObject, byUid: ReadonlyMap<string, KubeObject>): Place | undefined {
  const head = ownerOf(carrier, byUid);
  if (head === undefined) return undefined;
  const isCarrier = kindKey(carrier) === 'apps/ReplicaSet' || (kindKey(carrier) === 'batch/Job' && kindKey(head) === 'batch/CronJob');
  return isCarrier ? { head, carrier } : undefined;
}

function ownerOf(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>): KubeObject | undefined {
  const owners = listAt(object, 'metadata', 'ownerReferences');
  const reference = owners.find((one) => booleanAt(one, 'controller') === true) ?? owners[0];
  const owner = byUid.get(textAt(reference, 'uid') ?? '');
  return owner === object ? undefined : owner;
}

/** A custom resource in the shape of a Deployment. */
function hasReplicas(object: KubeObject): boolean {
  const hasTemplate = listAt(object.spec, 'template', 'spec', 'containers').length > 0 || at(object.spec, 'workloadRef') !== undefined;
  return hasTemplate && (numberAt(object.spec, 'replicas') ?? numberAt(object.status, 'replicas')) !== undefined;
}

function workloadOf(head: KubeObject, revisions: readonly WorkloadRevision[]): Workload {
  const pods = revisions.flatMap((revision) => revision.pods);
  const health = healthOf(head);
  const namespace = namespaceOf(head);
  const own = imagesOf(templateOf(head));
  const desired = desiredOf(head, revisions);
  return {
    uid: uidOf(head),
    apiVersion: head.apiVersion,
    kind: head.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name: head.metadata.name,
    created: head.metadata.creationTimestamp ?? '',
    ...(health === undefined ? {} : { health }),
    track: trackOf(head, templateOf(head)),
    desired,
    ready: readyOf(head, revisions),
    restarts: pods.reduce((sum, { restarts }) => sum + restarts, 0),
    images: own.length > 0 ? own : (revisions[0]?.images ?? []),
    version: versionOf(templateOf(head), head) || (revisions[0]?.version ?? ''),
    rollout: rolloutOf(head, { desired, revisions }),
    revisions,
    change: changeOf(head),
  };
}

function desiredOf(head: KubeObject, [current, ...others]: readonly WorkloadRevision[]): number {
  switch (kindKey(head)) {
    case '/Pod':
      return 1;
    case 'batch/Job':
      return numberAt(head.spec, 'completions') ?? numberAt(head.spec, 'parallelism') ?? 1;
    case 'batch/CronJob':
      return current?.desired ?? 0;
    case 'apps/DaemonSet':
    case 'apps.kruise.io/DaemonSet':
      return numberAt(head.status, 'desiredNumberScheduled') ?? 0;
    default: {
      const pods = [current, ...others].reduce((sum, one) => sum + (one?.pods.length ?? 0), 0);
      return numberAt(head.spec, 'replicas') ?? numberAt(head.spec, 'instances') ?? (templateOf(head) === undefined ? pods : 1);
    }
  }
}

function readyOf(head: KubeObject, revisions: readonly WorkloadRevision[]): number {
  if (kindKey(head) === 'batch/Job') return numberAt(head.status, 'succeeded') ?? 0;
  if (isBatch(head)) return revisions[0]?.completed ?? 0;
  const counted = numberAt(head.status, 'readyReplicas') ?? numberAt(head.status, 'numberReady');
  return counted ?? revisions.flatMap(({ pods }) => pods).filter(({ ready }) => ready).length;
}

/** Controllers write replicas and revisions of their own accord. */
const CONTROLLERS = new Set(['kube-controller-manager', 'rollouts-controller']);

function changeOf({ metadata }: KubeObject): WorkloadChange {
  const written = listAt(metadata['managedFields']).filter(
    (entry) => textAt(entry, 'subresource') !== 'status' && !CONTROLLERS.has(textAt(entry, 'manager') ?? ''),
  );
  const last = written.toSorted((a, b) => compareTexts(textAt(b, 'time') ?? '', textAt(a, 'time') ?? ''))[0];
  const annotations = objectAt(metadata.annotations);
  const gitlab = Object.entries(annotations).flatMap(([key, value]) =>
    key.startsWith('app.gitlab.com/') ? [[key.slice(key.indexOf('/') + 1), cut(value)] as const] : [],
  );
  return {
    manager: cut(textAt(last, 'manager')),
    time: textAt(last, 'time') ?? '',
    cause: cut(annotations['kubernetes.io/change-cause']),
    gitlab: Object.fromEntries(gitlab.slice(0, MAX_ANNOTATIONS)),
    pipeline: pipelineOf(annotations),
  };
}

const PIPELINE_KEY = /(^|[/.-])(pipeline|job|build|run)[-_]?url$/i;

/** An address is somebody's text. */
function pipelineOf(annotations: Readonly<Record<string, unknown>>): string {
  const addresses = Object.entries(annotations).flatMap(([key, value]) => (PIPELINE_KEY.test(key) ? [httpsAddress(value)] : []));
  return addresses.find((address) => address !== '') ?? '';
}

function cut(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, MAX_TEXT_LENGTH) : '';
}
