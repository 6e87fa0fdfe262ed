import { numberAt, objectAt, textAt } from '../core/read.ts';
import { type Health, HEALTH_STATUSES } from '../health/health.ts';
import { conditionsOf } from '../health/rules/conditions.ts';
import { healthOf } from '../health/rules/health-of.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey, namespaceOf, uidOf } from '../tree/object-index.ts';
import type { Placed } from '../tree/place-objects.ts';
import {
  type Cause,
  type CauseLink,
  type CauseRule,
  conditionSince,
  type EventFact,
  excerpt,
  type Finding,
  hasCondition,
  RANKS,
  type CauseContext,
  type CauseObjects,
  sinceOf,
  type Subject,
  type Workload,
} from './cause.ts';
import { POD_RULES } from './pod-causes.ts';
import { rejection, WORKLOAD_RULES } from './workload-causes.ts';
import { isVouchedFor, routesTo, servicesOf, TRAFFIC_RULES } from './traffic-causes.ts';
import { POD_SPECS } from '../tree/relations.ts';

/** Of one chain; what a deep tree has between the cause and the root is left out. */
const MAX_CHAIN_LENGTH = 10;

/** What stands in the cluster about one object of a tree. */
export interface Verdict {
  /** Its health, corrected by what the graph shows. */
  readonly health: Health | undefined;
  /** Whether it has a say in the health of the tree. */
  readonly counts: boolean;
  readonly finding?: Finding;
}

/** The verdict of each object of a tree. */
export type Verdicts = ReadonlyMap<Placed, Verdict>;

/**
 * Judges the objects of a tree by their own status, by the graph (Services without endpoints, routes that lead nowhere, Pods that were replaced) and by events.
 *
 * @param events of the namespace; objects that no tree has are left out.
 */
export function judgeObjects(input: CauseObjects, events: readonly KubeObject[]): Verdicts {
  const context = contextOf(input);
  const byUid = eventsOf(events);
  const mounted = mountedObjects(context);
  const verdicts = new Map<Placed, Verdict>();
  for (const placed of context.placed) {
    const { object } = placed;
    const health = healthOf(object);
    const subject = { placed, object, health, events: byUid.get(uidOf(object)) ?? [], context };
    const finding = findingOf(subject);
    const isUnused = kindKey(object) === CLAIM && finding?.rank === 'Waiting' && !mounted.has(object);
    const counts = placed.isPart && !isUnused && !isOutdated(placed);
    verdicts.set(placed, { health: corrected(subject, finding), counts, ...(finding === undefined ? {} : { finding }) });
  }
  return verdicts;
}

const CLAIM = '/PersistentVolumeClaim';

/** Claims that nobody mounts may wait for their first Pod for ever. */
function mountedObjects({ placed }: CauseObjects): ReadonlySet<KubeObject | undefined> {
  const edges = placed.flatMap((one) => one.edges).filter((edge) => edge.class === 'Mount' || edge.class === 'VolumeClaim');
  return new Set(edges.map(({ target }) => target));
}

/** By the list of events, which all trees of a namespace share. */
const knownEvents = new WeakMap<readonly KubeObject[], ReadonlyMap<string, readonly EventFact[]>>();

function eventsOf(events: readonly KubeObject[]): ReadonlyMap<string, readonly EventFact[]> {
  const known = knownEvents.get(events) ?? eventsByUid(events);
  knownEvents.set(events, known);
  return known;
}

function eventsByUid(events: readonly KubeObject[]): ReadonlyMap<string, readonly EventFact[]> {
  const byUid = Map.groupBy(events, (event) => textAt(event, 'involvedObject', 'uid') ?? '');
  return new Map(
    [...byUid].map(([uid, all]) => [
      uid,
      all.map(eventFact).toSorted((a, b) => (Date.parse(b.lastSeen) || 0) - (Date.parse(a.lastSeen) || 0)),
    ]),
  );
}

function eventFact(event: KubeObject): EventFact {
  const firstSeen = textAt(event, 'firstTimestamp') ?? textAt(event, 'eventTime') ?? event.metadata.creationTimestamp ?? '';
  return {
    isWarning: textAt(event, 'type') === 'Warning',
    reason: textAt(event, 'reason') ?? '',
    message: textAt(event, 'message') ?? '',
    firstSeen,
    lastSeen: textAt(event, 'series', 'lastObservedTime') ?? textAt(event, 'lastTimestamp') ?? firstSeen,
  };
}

function findingOf(subject: Subject): Finding | undefined {
  const { placed, health } = subject;
  const key = kindKey(subject.object);
  const isTraffic = Object.hasOwn(TRAFFIC_RULES, key) && !isVouchedFor(placed);
  const isBudget = key === 'policy/PodDisruptionBudget';
  const rules = [
    waitsForFinalizer,
    ...(key === '/Pod' ? POD_RULES : []),
    ...(isTraffic ? (TRAFFIC_RULES[key] ?? []) : []),
    ...(isBudget && isVouchedFor(placed) ? [] : (WORKLOAD_RULES[key] ?? [])),
    reported,
  ];
  if (key === '/Pod' && isOfFailedJob(placed)) return undefined;
  if (key === '/Pod' && (health?.status === 'Healthy' || subject.object.metadata.deletionTimestamp !== undefined)) return lastWord(subject);
  return first(rules, subject);
}

/** The finding about the Job has what its Pod says. */
function isOfFailedJob({ parent }: Placed): boolean {
  return parent !== undefined && kindKey(parent.object) === JOB && hasCondition(parent.object, 'Failed', 'True');
}

/** A Pod that is well, or that goes away, has no cause to name but a finalizer; one that was lost with its node does not go away by itself. */
function lastWord(subject: Subject): Finding | undefined {
  return subject.health?.status === 'Healthy' ? undefined : (waitsForFinalizer(subject) ?? first(POD_RULES.slice(0, 1), subject));
}

function first(rules: readonly CauseRule[], subject: Subject): Finding | undefined {
  for (const rule of rules) {
    const finding = rule(subject);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

/** Those of the garbage collector and of volumes in use go when what they wait for has gone, which names itself. */
const PASSING_FINALIZERS = [
  'foregroundDeletion',
  'orphan',
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
  'batch.kubernetes.io/job-tracking',
];

function waitsForFinalizer({ object: { metadata } }: Subject): Finding | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const finalizers = (metadata.finalizers ?? []).filter((name) => !PASSING_FINALIZERS.includes(name));
  if (finalizers.length === 0) return undefined;
  const names = `${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${finalizers.map((name) => excerpt(name)).join(', ')}`;
  return { rank: 'Reported', message: `is being deleted and waits for the ${names}`, since: metadata.deletionTimestamp };
}

/** What the object itself reports, or else the newest warning about a custom resource, unless that is suspended, which says enough. */
function reported({ object, health, events }: Subject): Finding | undefined {
  if (health?.status === 'Healthy' || object.metadata.deletionTimestamp !== undefined) return undefined;
  const warning = events.find(({ isWarning, reason }) => isWarning && !OF_DRIFT.includes(reason));
  if (warning !== undefined && isCustom(object) && health?.status !== 'Degraded' && health?.status !== 'Suspended') {
    return { rank: 'Reported', message: rejection(warning.message), quoted: true, ...sinceOf(warning.firstSeen) };
  }
  if (health === undefined) return undefined;
  const isStuck = isCustom(object) && /\bnot found\b/i.test(health.message);
  const rank = isStuck || health.status === 'Degraded' || health.status === 'Missing' ? 'Reported' : 'Waiting';
  const message = health.message === '' ? `is ${health.status}` : excerpt(health.message);
  return { rank, message, ...(health.message === '' ? {} : { quoted: true }), ...sinceOf(statusSince(object, health.message)) };
}

/** Events that tell of differences from a release: no reason why something does not become ready. */
const OF_DRIFT = ['ObjectsChanged', 'ReleaseChanged', 'DriftDetected', 'Contended', 'NotCompared'];

function isCustom(object: KubeObject): boolean {
  return /\./.test(kindKey(object).split('/')[0] ?? '') && !/(^|\.)k8s\.io\//.test(kindKey(object));
}

/** Since when the condition is so that the message is from, or else the one that sums the object up. */
function statusSince(object: KubeObject, message: string): string | undefined {
  const source = conditionsOf(object).find((condition) => condition.message === message && message !== '');
  if (source !== undefined) return conditionSince(object, source.type, source.status);
  return ['Ready', 'Available', 'Synced'].map((type) => conditionSince(object, type, 'False')).find((since) => since !== undefined);
}

/** A finding of the graph that nothing goes on without, or of events that is certain, is worse than what the object says of itself. */
function corrected({ object, health }: Subject, finding: Finding | undefined): Health | undefined {
  if (finding === undefined || health?.status === 'Degraded') return health;
  const message = finding.quoted === true ? finding.message : `The ${object.kind} ${finding.message}`;
  if (finding.isCertain === true && health?.status === 'Progressing') return { status: 'Degraded', message };
  if (!Object.hasOwn(TRAFFIC_RULES, kindKey(object))) return health;
  if (finding.rank === 'Blocked') return { status: 'Degraded', message };
  return finding.rank === 'Waiting' && health?.status === 'Healthy' ? { status: 'Progressing', message } : health;
}

/** What no longer decides: Pods that were replaced or are of an older revision, and runs that a later one has followed. */
function isOutdated(placed: Placed): boolean {
  const { object, parent } = placed;
  switch (kindKey(object)) {
    case '/Pod':
      return isReplaced(object, parent?.object) || (parent !== undefined && isOutdated(parent));
    case 'apps/ReplicaSet':
      return isOfOldRevision(placed);
    case JOB:
      return isOldRun(placed);
    default:
      return false;
  }
}

const JOB = 'batch/Job';

function isReplaced(pod: KubeObject, owner: KubeObject | undefined): boolean {
  if (owner === undefined || textAt(pod.status, 'phase') !== 'Failed') return false;
  if (kindKey(owner) === JOB) return healthOf(owner)?.status === 'Healthy';
  const wanted = numberAt(owner.spec, 'replicas');
  return wanted !== undefined && (numberAt(owner.status, 'readyReplicas') ?? 0) >= wanted;
}

const REVISION = 'deployment.kubernetes.io/revision';

/** Whether a Deployment has a ReplicaSet of a later revision than this one. */
function isOfOldRevision(placed: Placed): boolean {
  if (!isSetOfDeployment(placed) || placed.parent === undefined) return false;
  const revisionOf = (one: Placed): number => Number(textAt(one.object.metadata, 'annotations', REVISION) ?? 0);
  return placed.parent.children.some((other) => kindKey(other.object) === 'apps/ReplicaSet' && revisionOf(other) > revisionOf(placed));
}

/** Whether a later Job of the same CronJob has ended. */
function isOldRun({ object, parent }: Placed): boolean {
  if (parent === undefined || kindKey(parent.object) !== 'batch/CronJob') return false;
  const time = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
  const hasEnded = (one: KubeObject): boolean => ['Healthy', 'Degraded'].includes(healthOf(one)?.status ?? '');
  return parent.children.some((other) => kindKey(other.object) === JOB && time(other.object) > time(object) && hasEnded(other.object));
}

/** The cause of the health of a tree; undefined where nothing is wrong. */
export function findCause(context: CauseObjects, verdicts: Verdicts, health: Health | undefined): Cause | undefined {
  const found = [...verdicts].flatMap(([placed, { counts, finding, health: own }]) =>
    counts && finding !== undefined ? [{ placed, finding, health: own }] : [],
  );
  const isWell = health?.status === 'Healthy';
  const worst = found.filter(({ finding }) => !isWell || finding.rank === 'Warning').toSorted(worstFirst)[0];
  if (worst === undefined) return undefined;
  const { placed, finding } = worst;
  return {
    message: placed.object === context.root && finding.quoted === true ? finding.message : sentenceAbout(placed, finding),
    ...sinceOf(finding.since),
    chain: chainOf(placed, verdicts, context),
    ...(finding.container === undefined ? {} : { container: finding.container }),
  };
}

/** What is wrong with an object of a tree. */
export interface Found {
  readonly placed: Placed;
  readonly finding: Finding;
  readonly health: Health | undefined;
}

/** The worst rank, then the deepest object; of what only waits, the root explains itself best. */
export function worstFirst(a: Found, b: Found): number {
  const byRank = RANKS.indexOf(b.finding.rank) - RANKS.indexOf(a.finding.rank);
  if (byRank !== 0) return byRank;
  if (a.finding.rank === 'Waiting') {
    const byStatus = statusRank(b) - statusRank(a);
    if (byStatus !== 0) return byStatus;
    if ((a.placed.depth === 0) !== (b.placed.depth === 0)) return a.placed.depth - b.placed.depth;
  }
  return b.placed.depth - a.placed.depth || a.placed.object.metadata.name.localeCompare(b.placed.object.metadata.name);
}

function statusRank({ health }: Found): number {
  return health === undefined ? -1 : HEALTH_STATUSES.indexOf(health.status);
}

/** What is wrong with an object, as a sentence with its name. */
export function sentenceAbout(placed: Placed, { message, quoted }: Finding): string {
  const { object } = isSetOfDeployment(placed) && placed.parent !== undefined ? placed.parent : placed;
  const { kind, metadata } = object;
  return quoted === true ? `${kind} ${metadata.name}: ${message}` : `${kind} ${metadata.name} ${message}`;
}

/** From the cause up to the root, the Services and routes that it holds back before the root. */
function chainOf(cause: Placed, verdicts: Verdicts, context: CauseObjects): CauseLink[] {
  const above: Placed[] = [];
  for (let one: Placed | undefined = cause; one !== undefined; one = one.parent) above.push(one);
  const services = kindKey(cause.object) === '/Pod' ? servicesOf(cause.object, context) : above.slice(0, 1);
  const stopped = services.filter((one) => one === cause || verdicts.get(one)?.finding !== undefined);
  const routes = stopped.flatMap(({ object }) => routesTo(object, context));
  const path = [...above.slice(0, -1), ...stopped, ...routes, ...above.slice(-1)];
  const shown = [...new Set(path)].filter((one) => !isSetOfDeployment(one));
  const message = messageIn(verdicts, cause);
  return [...shown.slice(0, MAX_CHAIN_LENGTH - 1), ...shown.slice(MAX_CHAIN_LENGTH - 1).slice(-1)].map((one, index) => {
    const { apiVersion, kind, metadata } = one.object;
    const said = index === 0 ? message : messageIn(verdicts, one);
    return { apiVersion, kind, name: metadata.name, message: said, ...sinceOf(verdicts.get(index === 0 ? cause : one)?.finding?.since) };
  });
}

/** People know the Deployment; its ReplicaSet says nothing of its own. */
function isSetOfDeployment({ object, parent }: Placed): boolean {
  return kindKey(object) === 'apps/ReplicaSet' && parent !== undefined && kindKey(parent.object) === 'apps/Deployment';
}

function messageIn(verdicts: Verdicts, placed: Placed): string {
  return verdicts.get(placed)?.finding?.message ?? '';
}

/** Indexes objects once, so that no rule walks over all of them for each. */
function contextOf(input: CauseObjects): CauseContext {
  const hasWorkloads = input.placed.some(({ object }) => Object.hasOwn(POD_SPECS, kindKey(object)));
  return { ...input, writtenSecrets: writtenSecrets(input), workloadsByLabel: workloadsByLabel(input), hasWorkloads };
}

/** By the list of objects, which all trees of a namespace share. */
const knownWorkloads = new WeakMap<readonly KubeObject[], { readonly namespace: string | undefined; readonly byLabel: WorkloadsByLabel }>();
type WorkloadsByLabel = CauseContext['workloadsByLabel'];

function workloadsByLabel(input: CauseObjects): WorkloadsByLabel {
  const namespace = namespaceOf(input.root);
  const known = knownWorkloads.get(input.objects);
  if (known?.namespace === namespace && known !== undefined) return known.byLabel;
  const byLabel = new Map<string, Workload[]>();
  for (const workload of workloadsIn(input)) {
    for (const [key, value] of Object.entries(workload.labels)) {
      const label = `${key}=${String(value)}`;
      const others = byLabel.get(label);
      if (others === undefined) byLabel.set(label, [workload]);
      else others.push(workload);
    }
  }
  knownWorkloads.set(input.objects, { namespace, byLabel });
  return byLabel;
}

function writtenSecrets({ placed }: CauseObjects): ReadonlySet<string> {
  return new Set(
    placed.flatMap(({ object: { spec } }) =>
      [textAt(spec, 'secretName'), textAt(spec, 'target', 'name')].filter((name) => name !== undefined),
    ),
  );
}

/** Those of the namespace of the root; a Pod is none. */
function workloadsIn({ root, objects }: CauseObjects): Workload[] {
  return objects.flatMap((object) => {
    const path = POD_SPECS[kindKey(object)];
    if (path === undefined || path === 'spec' || namespaceOf(object) !== namespaceOf(root)) return [];
    return [{ object, labels: objectAt(object, ...path.split('.').slice(0, -1), 'metadata', 'labels') }];
  });
}
