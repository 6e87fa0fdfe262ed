import { isObject, listAt, numberAt, textAt } from '../core/read.ts';
import type { Health } from '../health/health.ts';
import { healthOf } from '../health/rules/health-of.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey, uidOf } from '../tree/object-index.ts';
import { type ContainerImage, imagesOf, templateOf, trackOf, type Track, versionOf } from './pod-template.ts';

/** The pods of one pod template of a workload; of a CronJob, those of one Job. */
export interface WorkloadRevision {
  /** The hash in the labels of its pods, or the name of the Job; empty where nothing says so. */
  readonly name: string;
  /** As `kubectl rollout history` counts; absent where nothing says so. */
  readonly number?: number;
  /** Whether it is what the workload asks for now. */
  readonly current: boolean;
  readonly track: Track;
  readonly images: readonly ContainerImage[];
  /** As of a workload. */
  readonly version: string;
  /** RFC 3339. */
  readonly created: string;
  /** Pods that its ReplicaSet should have, completions of its Job; else the number of its pods. */
  readonly desired: number;
  /** Completions of its Job. */
  readonly completed?: number;
  /** By name. */
  readonly pods: readonly WorkloadPod[];
}

export interface WorkloadPod {
  readonly uid: string;
  readonly name: string;
  /** As in the column STATUS of `kubectl get pods`: `Running`, `CrashLoopBackOff`, `Init:Error`, … */
  readonly status: string;
  readonly ready: boolean;
  readonly restarts: number;
  readonly track: Track;
  /** Empty before it is scheduled. */
  readonly node: string;
  readonly created: string;
  readonly health?: Health;
}

/** What belongs to a workload: ReplicaSets or Jobs, pods with the one that they belong to, and the ControllerRevisions of a StatefulSet or DaemonSet. */
interface Family {
  readonly history: readonly KubeObject[];
  readonly carriers: readonly KubeObject[];
  readonly pods: readonly { readonly pod: KubeObject; readonly carrier?: KubeObject }[];
}

/** The revisions of a workload, the current one first. */
export function revisionsOf(head: KubeObject, { carriers, pods, history }: Family): WorkloadRevision[] {
  const groups = new Map<string, { carrier?: KubeObject; pods: KubeObject[] }>(
    carriers.map((carrier) => [uidOf(carrier), { carrier, pods: [] }]),
  );
  for (const { pod, carrier } of pods) {
    const key = carrier === undefined ? hashOf(pod) : uidOf(carrier);
    const group = groups.get(key) ?? { pods: [] };
    group.pods.push(pod);
    groups.set(key, group);
  }
  const drafts = [...groups.values()].map((group) => draftOf(head, { ...group, history })).sort(newestFirst);
  const current = currentOf(head, drafts);
  const stable = textAt(head.status, 'stableRS') ?? '';
  return drafts
    .filter((draft) => draft === current || draft.pods.length > 0)
    .map((draft) => withTrack({ ...draft, current: draft === current }, stable))
    .sort((a, b) => Number(b.current) - Number(a.current));
}

interface Group extends Pick<Family, 'history'> {
  readonly carrier?: KubeObject;
  readonly pods: readonly KubeObject[];
}

function draftOf(head: KubeObject, { carrier, pods, history }: Group): Draft {
  const first = carrier ?? pods[0] ?? head;
  const template = carrier === undefined ? first : templateOf(carrier);
  const number = carrier === undefined ? numberIn(history, hashOf(first)) : revisionNumber(carrier);
  const isJob = carrier !== undefined && kindKey(carrier) === 'batch/Job';
  return {
    name: isJob ? carrier.metadata.name : hashOf(first),
    ...(number === undefined ? {} : { number }),
    track: trackOf(template, head),
    images: imagesOf(template),
    version: versionOf(template),
    created: pods.reduce((newest, { metadata }) => later(newest, metadata.creationTimestamp), carrier?.metadata.creationTimestamp ?? ''),
    desired: carrier === undefined ? pods.length : (numberAt(carrier.spec, isJob ? 'completions' : 'replicas') ?? 1),
    ...(isJob ? { completed: numberAt(carrier.status, 'succeeded') ?? 0 } : {}),
    pods: pods.map((pod) => podOf(pod)).sort((a, b) => BY_NUMBER.compare(a.name, b.name)),
  };
}

/** Made once: a comparison with options makes one of its own each time, which took most of a reading. */
const BY_NUMBER = new Intl.Collator('en', { numeric: true });

type Draft = Omit<WorkloadRevision, 'current'>;

function later(a: string, b = ''): string {
  return a < b ? b : a;
}

function newestFirst(a: Draft, b: Draft): number {
  if (a.number !== undefined && b.number !== undefined) return b.number - a.number;
  return a.created === b.created ? 0 : a.created < b.created ? 1 : -1;
}

/** @param drafts the newest first. */
function currentOf({ status }: KubeObject, drafts: readonly Draft[]): Draft | undefined {
  const wanted = textAt(status, 'currentPodHash') ?? textAt(status, 'updateRevision') ?? '';
  return drafts.find(({ name }) => isSameHash(name, wanted)) ?? (wanted === '' ? drafts[0] : undefined);
}

/** StatefulSets write `web-5f6b7c` where DaemonSets write `5f6b7c`. */
function isSameHash(a: string, b: string): boolean {
  return a !== '' && b !== '' && (a === b || a.endsWith(`-${b}`) || b.endsWith(`-${a}`));
}

/** What an Argo Rollout adds to its stable ReplicaSet is the canary. */
function withTrack(revision: WorkloadRevision, stable: string): WorkloadRevision {
  if (stable === '' || !revision.current || revision.name === stable) return revision;
  return { ...revision, track: 'canary', pods: revision.pods.map((pod) => ({ ...pod, track: 'canary' })) };
}

const HASHES = ['rollouts-pod-template-hash', 'pod-template-hash', 'controller-revision-hash'];

function hashOf(object: KubeObject): string {
  return HASHES.map((key) => textAt(object, 'metadata', 'labels', key)).find((hash) => hash !== undefined) ?? '';
}

function revisionNumber({ metadata: { annotations } }: KubeObject): number | undefined {
  const number = Number(annotations?.['deployment.kubernetes.io/revision'] ?? annotations?.['rollout.argoproj.io/revision']);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The number of the ControllerRevision that the pods of a StatefulSet or DaemonSet carry as their hash. */
function numberIn(history: readonly KubeObject[], hash: string): number | undefined {
  return numberAt(
    history.find(({ metadata }) => isSameHash(metadata.name, hash)),
    'revision',
  );
}

function podOf(pod: KubeObject): WorkloadPod {
  const { metadata, spec, status } = pod;
  const containers = [...listAt(status, 'initContainerStatuses'), ...listAt(status, 'containerStatuses')];
  const ready = listAt(status, 'conditions').find((one) => textAt(one, 'type') === 'Ready');
  const health = healthOf(pod);
  return {
    uid: uidOf(pod),
    name: metadata.name,
    status: statusOf(pod).slice(0, MAX_STATUS_LENGTH),
    ready: textAt(ready, 'status') === 'True',
    restarts: containers.reduce<number>((sum, one) => sum + (numberAt(one, 'restartCount') ?? 0), 0),
    track: trackOf(pod),
    node: textAt(spec, 'nodeName') ?? '',
    created: metadata.creationTimestamp ?? '',
    ...(health === undefined ? {} : { health }),
  };
}

const MAX_STATUS_LENGTH = 100;

/** The reason of the first container that waits or has failed explains more than the phase. */
function statusOf({ metadata, status }: KubeObject): string {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const own = textAt(status, 'reason') ?? textAt(status, 'phase') ?? 'Unknown';
  const init = reasonIn(listAt(status, 'initContainerStatuses'));
  if (init !== undefined) return `Init:${init}`;
  return reasonIn(listAt(status, 'containerStatuses')) ?? own;
}

function reasonIn(statuses: readonly unknown[]): string | undefined {
  for (const { state } of statuses.filter((one) => isObject(one))) {
    const waiting = textAt(state, 'waiting', 'reason');
    if (waiting !== undefined && waiting !== 'PodInitializing') return waiting;
    const failed = (numberAt(state, 'terminated', 'exitCode') ?? 0) !== 0;
    if (failed) return textAt(state, 'terminated', 'reason') ?? 'Error';
  }
  return undefined;
}
