import { listAt, numberAt, textAt, textsAt } from '../core/read.ts';
import type { EnvironmentResource } from '../environment/environment-resources.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey } from '../tree/object-index.ts';
import { imagesOf, templateOf } from '../workload/pod-template.ts';

export const TIMELINE_KINDS = ['Created', 'Changed', 'Deletion', 'Revision', 'Release', 'Warning', 'Action', 'ChangeRequest'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** Something that happened to a resource of an environment. */
export interface TimelineEntry {
  /** Unique within a time. */
  readonly id: string;
  /** RFC 3339 in UTC. */
  readonly time: string;
  readonly kind: TimelineKind;
  /** A person, or a field manager in the words of its tool; empty when nothing says who. */
  readonly who: string;
  readonly message: string;
  /** `resource` is plural and group; empty for what is not served or not a resource. */
  readonly subject: { readonly resource: string; readonly kind: string; readonly name: string };
  /** The Instance that it is part of. */
  readonly instance?: { readonly app: string; readonly name: string };
  /** The id of a change request. */
  readonly changeRequest?: string;
}

export interface TimelineFilter {
  readonly kind?: TimelineKind;
  readonly who?: string;
  /** Milliseconds since 1970; not earlier than this. */
  readonly since?: number;
  /** Earlier than this. */
  readonly until?: number;
  /** Must occur in the name, the message or the person. */
  readonly search?: string;
}

export function filterTimeline(entries: readonly TimelineEntry[], filter: TimelineFilter): TimelineEntry[] {
  const { kind, who, since = -Infinity, until = Infinity, search = '' } = filter;
  const word = search.trim().toLowerCase();
  return entries.filter((entry) => {
    const time = Date.parse(entry.time);
    if ((kind !== undefined && entry.kind !== kind) || (who !== undefined && entry.who !== who)) return false;
    return time >= since && time < until && `${entry.subject.name}\n${entry.message}\n${entry.who}`.toLowerCase().includes(word);
  });
}

/** What comes and goes with every rollout says nothing that its workload does not. */
const HIDDEN = new Set([
  '/Pod',
  '/Endpoints',
  '/Event',
  'discovery.k8s.io/EndpointSlice',
  'events.k8s.io/Event',
  'coordination.k8s.io/Lease',
]);
/** They write what others have asked for. */
const SYSTEM_MANAGERS = new Set(['kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-apiserver']);
const MAX_LENGTH = 100;
/** Entries of `managedFields`; more is an attack. */
const MAX_MANAGERS = 50;

/**
 * What an object says of its past: its creation, the last write of each field manager, a deletion under way; or the revision or release that it stands for.
 *
 * @param resourceOf the description of an object by its uid.
 */
export function objectEntries(
  object: KubeObject,
  described: EnvironmentResource,
  resourceOf: (uid: string) => EnvironmentResource | undefined,
): TimelineEntry[] {
  const key = kindKey(object);
  if (HIDDEN.has(key) || isOfCronJob(object)) return [];
  if (key === '/Secret' && textAt(object, 'metadata', 'labels', 'owner') === 'helm') return releaseEntries(object);
  if (key === 'apps/ReplicaSet' || key === 'apps/ControllerRevision') return revisionEntries(object, resourceOf);
  return [...writeEntries(object, described), ...deletionEntries(object, described)];
}

function isOfCronJob({ metadata: { ownerReferences = [] } }: KubeObject): boolean {
  return ownerReferences.some(({ kind }) => kind === 'CronJob');
}

/** https://helm.sh/docs/topics/advanced/#storage-backends */
function releaseEntries({ metadata }: KubeObject): TimelineEntry[] {
  const { name = '', status = '', version = '', modifiedAt } = metadata.labels ?? {};
  const seconds = Number(modifiedAt);
  const time =
    Number.isFinite(seconds) && seconds > 0 ? timeOf(new Date(seconds * 1000).toISOString()) : timeOf(metadata.creationTimestamp);
  if (time === undefined || name === '') return [];
  const subject = { resource: '', kind: 'Helm release', name: name.slice(0, MAX_LENGTH) };
  return [{ id: `release ${name} ${version}`, time, kind: 'Release', who: 'Helm', message: `Revision ${version} is ${status}`, subject }];
}

function revisionEntries(object: KubeObject, resourceOf: (uid: string) => EnvironmentResource | undefined): TimelineEntry[] {
  const { metadata } = object;
  const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
  const time = timeOf(metadata.creationTimestamp);
  if (owner === undefined || time === undefined) return [];
  const workload = resourceOf(owner.uid);
  const annotations = metadata.annotations ?? {};
  const number = annotations['deployment.kubernetes.io/revision'] ?? numberAt(object, 'revision')?.toString();
  const images = imagesOf(templateOf(object)).map(({ image }) => image);
  const cause = annotations['kubernetes.io/change-cause'];
  const what = number === undefined ? `Revision ${metadata.name}` : `Revision ${number}`;
  return [
    {
      id: `revision ${metadata.uid ?? metadata.name}`,
      time,
      kind: 'Revision',
      who: '',
      message: [what, ...images, ...(cause === undefined ? [] : [cause])].map((text) => text.slice(0, 2 * MAX_LENGTH)).join(', '),
      subject: { resource: workload?.resource ?? '', kind: owner.kind, name: owner.name },
      ...(workload?.instance === undefined ? {} : { instance: workload.instance }),
    },
  ];
}

interface Write {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  readonly time: string;
}

function writeEntries(object: KubeObject, described: EnvironmentResource): TimelineEntry[] {
  const { creationTimestamp, uid = object.metadata.name, generation } = object.metadata;
  const created = timeOf(creationTimestamp);
  const writes = writesOf(object);
  const creation = created === undefined ? undefined : writes.find(({ time }) => Date.parse(time) - Date.parse(created) < 1_000);
  const changes = writes.filter((write) => write !== creation && !SYSTEM_MANAGERS.has(write.manager));
  const base = about(described);
  const latest = changes.at(-1);
  return [
    ...(created === undefined
      ? []
      : [
          {
            ...base,
            id: `created ${uid}`,
            time: created,
            kind: 'Created',
            who: toolOf(creation?.manager ?? ''),
            message: 'Created',
          } as const,
        ]),
    ...changes.map((write): TimelineEntry => ({
      ...base,
      id: `changed ${uid} ${write.manager} ${write.operation} ${write.subresource}`,
      time: write.time,
      kind: 'Changed',
      who: toolOf(write.manager),
      message: `${messageOf(write)}${write === latest && generation !== undefined ? `; generation ${generation}` : ''}`,
    })),
  ];
}

/** Oldest first; what controllers report in the status is no change of what is wanted. */
function writesOf(object: KubeObject): Write[] {
  return listAt(object, 'metadata', 'managedFields')
    .slice(0, MAX_MANAGERS)
    .flatMap((entry) => {
      const time = timeOf(textAt(entry, 'time'));
      const subresource = textAt(entry, 'subresource') ?? '';
      if (time === undefined || subresource === 'status') return [];
      const manager = (textAt(entry, 'manager') ?? '').slice(0, MAX_LENGTH);
      return [{ manager, operation: textAt(entry, 'operation') ?? '', subresource, time }];
    })
    .sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

function messageOf({ operation, subresource }: Write): string {
  if (subresource === 'scale') return 'Scaled';
  return operation === 'Apply' ? 'Applied' : 'Updated';
}

function deletionEntries({ metadata }: KubeObject, described: EnvironmentResource): TimelineEntry[] {
  const due = timeOf(metadata.deletionTimestamp);
  if (due === undefined) return [];
  const grace = numberAt(metadata, 'deletionGracePeriodSeconds') ?? 0;
  const finalizers = textsAt(metadata, 'finalizers').map((name) => name.slice(0, MAX_LENGTH));
  const message = finalizers.length === 0 ? 'Is being deleted' : `Is being deleted; waits for the finalizers ${finalizers.join(', ')}`;
  const time = new Date(Date.parse(due) - grace * 1000).toISOString();
  return [{ ...about(described), id: `deletion ${metadata.uid ?? metadata.name}`, time, kind: 'Deletion', who: '', message }];
}

function about({ resource, kind, name, instance }: EnvironmentResource): Pick<TimelineEntry, 'subject' | 'instance'> {
  return { subject: { resource, kind, name }, ...(instance === undefined ? {} : { instance }) };
}

/** RFC 3339 with milliseconds; undefined for what is no time. */
export function timeOf(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

const TOOLS: Readonly<Record<string, string>> = {
  'kubectl-client-side-apply': 'kubectl apply',
  helm: 'Helm',
  'argocd-controller': 'Argo CD',
  'argocd-application-controller': 'Argo CD',
  'argocd-server': 'Argo CD',
  'kustomize-controller': 'Flux',
  'helm-controller': 'Flux',
  [OURS.fieldManager]: 'Chandlery',
  [OURS.userFieldManager]: 'Chandlery pages or REST',
};

/** The tool behind a field manager: `kubectl edit` for `kubectl-edit`. */
function toolOf(manager: string): string {
  if (Object.hasOwn(TOOLS, manager)) return TOOLS[manager] ?? manager;
  return manager.startsWith('kubectl-') ? manager.replace('-', ' ') : manager;
}
