import { LRUCache } from 'lru-cache';
import { type Actor, actorKey } from '../../domain/kubernetes/actor.ts';
import { isKubernetesGroup } from '../../domain/kubernetes/resource-types.ts';
import { type KubeObject, parseApiVersion, type ServedKind } from '../../domain/kubernetes/resource.ts';

/** What an actor found when a kind was listed for a group: nothing that belongs to it, or that the list is not allowed. */
export type RememberedList = 'Nothing' | 'Forbidden';

/** The kinds of which nothing belongs to one group, as one actor saw it. Never what somebody may read: only what need not be asked again yet. */
export interface GroupKinds {
  /** Undefined for a kind that has to be listed. */
  recall(kind: ServedKind): RememberedList | undefined;
  remember(kind: ServedKind, list: RememberedList): void;
  forget(kind: ServedKind): void;
  /**
   * Whether a kind is listed before a page answers: those of the app's operator, those of which something was found, what appears within seconds, and other
   * built-in ones unless they are stale, or no group of an app had something of them that was read before.
   */
  isExpected(kind: ServedKind): boolean;
  /** Whether nothing of the kind belonged to the group when it was listed last, which is longer ago than `recall` answers for. */
  isStale(kind: ServedKind): boolean;
  /** There is something of the kind, which may belong to the group. */
  expect(kind: ServedKind): void;
  /** Whether a group of this app had something of the kind, whoever read it. */
  isLearnt(kind: ServedKind): boolean;
  /** Something of the kind belongs to the group. */
  learn(kind: ServedKind): void;
  /** Runs a task of the group unless it has one that runs, and few at a time for all groups. Errors end it. */
  inBackground(task: () => Promise<void>): void;
  /** Whether such objects usually appear within seconds. */
  isUsual(kind: ServedKind): boolean;
  /** Whether an owner that nobody has read is looked for the first time. */
  isNewOwner(uid: string): boolean;
}

/** Remembers, for each actor and group, which kinds need not be listed on every refresh. */
export interface GroupMemory {
  /**
   * The group of an object; when the object has changed, what its controller usually creates is listed again at once.
   *
   * @param apiGroups of what its operator brings.
   */
  kindsFor(actor: Actor, root: KubeObject, apiGroups?: ReadonlySet<string>): GroupKinds;
}

export interface GroupMemoryOptions {
  /** Milliseconds on a clock that only goes forward. */
  readonly now?: () => number;
  readonly random?: () => number;
}

interface Entry {
  readonly list: RememberedList;
  readonly until: number;
  readonly span: Span;
}

interface Group {
  readonly entries: Map<string, Entry>;
  readonly owners: Set<string>;
  readonly expected: Set<string>;
  version: string;
  isBusy: boolean;
}

/** About 40 kB each where 400 kinds are served. */
const MAX_GROUPS = 300;
const MAX_OWNERS = 2_000;
const IDLE_MS = 600_000;
const MAX_APPS = 500;
const MAX_KINDS_OF_APP = 300;
/** Tasks in the background at once. */
const MAX_TASKS = 2;

type Span = 'Short' | 'Middle' | 'Long';

/** How long nothing is asked; a random share of the first half comes off, so that not all kinds are asked again in one refresh. */
const SPANS: Readonly<Record<Span, number>> = { Short: 4_000, Middle: 60_000, Long: 300_000 };

/** What appears below an instance within seconds of its creation. */
const WORKLOADS = new Set([
  'pods',
  'services',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'deployments.apps',
  'statefulsets.apps',
  'jobs.batch',
]);

/** What a person looks for first, and what an app may have although no other instance of it has: an Ingress without its Service is why the app does not answer. */
const ENTRANCES = new Set(['ingresses.networking.k8s.io']);

export function createGroupMemory({ now = () => performance.now(), random = Math.random }: GroupMemoryOptions = {}): GroupMemory {
  const groups = new LRUCache<string, Group>({ max: MAX_GROUPS, ttl: IDLE_MS, updateAgeOnGet: true });
  /** By app, the kinds of which a group of it had something: names only, so that they may serve everybody. */
  const learnt = new LRUCache<string, Set<string>>({ max: MAX_APPS });
  const background = createBackground();
  return {
    kindsFor: (actor, root, apiGroups = new Set()) => {
      const key = JSON.stringify([actorKey(actor), root.metadata.uid]);
      const group = groups.get(key) ?? { entries: new Map(), owners: new Set(), expected: new Set(), version: '', isBusy: false };
      groups.set(key, group);
      const version = root.metadata.resourceVersion ?? '';
      if (group.version !== version) forgetUsual(group);
      group.version = version;
      const ownGroup = parseApiVersion(root.apiVersion).group;
      const ofApp = learnt.get(`${ownGroup}/${root.kind}`) ?? new Set<string>();
      learnt.set(`${ownGroup}/${root.kind}`, ofApp);
      return kindsOf(group, {
        ofApp,
        isOwn: (kind) => kind.group === ownGroup || apiGroups.has(kind.group),
        ownGroup,
        now,
        random,
        background,
      });
    },
  };
}

interface GroupOptions extends Required<GroupMemoryOptions> {
  readonly ofApp: Set<string>;
  readonly isOwn: (kind: ServedKind) => boolean;
  readonly ownGroup: string;
  readonly background: Background;
}

function kindsOf(group: Group, options: GroupOptions): GroupKinds {
  const { ofApp, ownGroup, now, random, background } = options;
  const { entries, expected, owners } = group;
  return {
    isStale: (kind) => isStale(group, kind, now()),
    isExpected: (kind) => isExpected(group, kind, options),
    recall: (kind) => {
      const entry = entries.get(keyOf(kind));
      return entry === undefined || entry.until < now() ? undefined : entry.list;
    },
    remember: (kind, list) => {
      const span = spanOf(kind, ownGroup);
      expected.delete(keyOf(kind));
      entries.set(keyOf(kind), { list, span, until: now() + SPANS[span] * (1 - random() / 2) });
    },
    forget: (kind) => void entries.delete(keyOf(kind)),
    isUsual: (kind) => spanOf(kind, ownGroup) === 'Short',
    expect: (kind) => {
      entries.delete(keyOf(kind));
      expected.add(keyOf(kind));
    },
    isLearnt: (kind) => ofApp.has(keyOf(kind)),
    learn: (kind) => {
      entries.delete(keyOf(kind));
      if (ofApp.size < MAX_KINDS_OF_APP) ofApp.add(keyOf(kind));
    },
    isNewOwner: (uid) => isNew(owners, uid),
    inBackground: (task) => {
      if (group.isBusy) return;
      group.isBusy = true;
      background(async () => await task().finally(() => (group.isBusy = false)));
    },
  };
}

function isStale({ entries }: Group, kind: ServedKind, now: number): boolean {
  const entry = entries.get(keyOf(kind));
  return entry !== undefined && entry.list === 'Nothing' && entry.span !== 'Short' && entry.until < now;
}

function isExpected(group: Group, kind: ServedKind, { ofApp, isOwn, ownGroup, now }: GroupOptions): boolean {
  if (isOwn(kind) || ofApp.has(keyOf(kind)) || group.expected.has(keyOf(kind)) || spanOf(kind, ownGroup) === 'Short') return true;
  const isUnusual = ownGroup !== '' && ofApp.size > 0 && !ENTRANCES.has(keyOf(kind));
  return !(isForeign(kind) || isStale(group, kind, now()) || isUnusual);
}

type Background = (task: () => Promise<void>) => void;

/** What fails in the background has nobody to tell: it is done again with the next reading. */
function createBackground(): Background {
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  const next = (): void => {
    const task = running < MAX_TASKS ? waiting.shift() : undefined;
    if (task === undefined) return;
    running += 1;
    void task()
      .catch(() => undefined)
      .finally(() => {
        running -= 1;
        next();
      });
  };
  return (task) => {
    waiting.push(task);
    next();
  };
}

/** What appears within seconds is forgotten, and all else but foreign kinds stale. */
function forgetUsual({ entries }: Group): void {
  for (const [key, entry] of entries) {
    if (entry.span === 'Short') entries.delete(key);
    else if (entry.span === 'Middle') entries.set(key, { ...entry, until: -Infinity });
  }
}

function isNew(owners: Set<string>, uid: string): boolean {
  if (owners.has(uid)) return false;
  if (owners.size >= MAX_OWNERS) owners.clear();
  owners.add(uid);
  return true;
}

/** In the group of a namespace anything may be created at any time; an instance is created by an operator, whose kinds are few. */
function spanOf(kind: ServedKind, ownGroup: string): Span {
  if (WORKLOADS.has(keyOf(kind)) || kind.group === ownGroup) return 'Short';
  if (ownGroup === '') return 'Middle';
  return isForeign(kind) ? 'Long' : 'Middle';
}

/** Neither Kubernetes nor one of its projects serves it. */
function isForeign({ group }: ServedKind): boolean {
  return group.includes('.') && !isKubernetesGroup(group);
}

function keyOf({ group, resource }: ServedKind): string {
  return group === '' ? resource : `${resource}.${group}`;
}
