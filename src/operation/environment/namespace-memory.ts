import { LRUCache } from 'lru-cache';
import { type Actor, actorKey } from '../../domain/kubernetes/actor.ts';
import { isKubernetesGroup } from '../../domain/kubernetes/resource-types.ts';
import type { ServedKind } from '../../domain/kubernetes/resource.ts';

/** The last answer about a kind: the namespace has nothing of it, or the list is not allowed. */
export type RememberedList = 'Nothing' | 'Forbidden';

/** The kinds of which a namespace has nothing, as one actor saw it. Permissions are never among it: only what need not be asked again yet. */
export interface NamespaceKinds {
  /** Undefined for a kind that has to be listed. */
  recall(kind: ServedKind): RememberedList | undefined;
  remember(kind: ServedKind, list: RememberedList): void;
  forget(kind: ServedKind): void;
  /** Whether a kind is listed before a page answers: those of apps, those of which something was found, and built-in ones unless they are stale. */
  isExpected(kind: ServedKind): boolean;
  /** Whether there was nothing of the kind when it was listed last, which is longer ago than `recall` answers for. */
  isStale(kind: ServedKind): boolean;
  /** There is something of the kind. */
  expect(kind: ServedKind): void;
  /** Whether a namespace had something of the kind, whoever read it. */
  isLearnt(kind: ServedKind): boolean;
  /** The namespace has something of the kind. */
  learn(kind: ServedKind): void;
  /** Runs a task of the namespace unless it has one that runs, and few at a time for all namespaces. Errors end it. */
  inBackground(task: () => Promise<void>): void;
  /** Whether such objects usually appear within seconds. */
  isUsual(kind: ServedKind): boolean;
  /** Whether an owner that nobody has read is looked for the first time. */
  isNewOwner(uid: string): boolean;
}

/** Remembers, for each actor and namespace, which kinds need not be listed on every refresh. */
export interface NamespaceMemory {
  /** @param apiGroups of apps, whose kinds are always expected. */
  kindsIn(actor: Actor, namespace: string, apiGroups?: ReadonlySet<string>): NamespaceKinds;
}

export interface NamespaceMemoryOptions {
  /** Milliseconds on a clock that only goes forward. */
  readonly now?: () => number;
  readonly random?: () => number;
}

interface Entry {
  readonly list: RememberedList;
  readonly until: number;
}

interface Remembered {
  readonly entries: Map<string, Entry>;
  readonly owners: Set<string>;
  readonly expected: Set<string>;
  isBusy: boolean;
}

/** About 40 kB each where 400 kinds are served. */
const MAX_NAMESPACES = 300;
const MAX_OWNERS = 2_000;
const IDLE_MS = 600_000;
const MAX_LEARNT = 300;
/** Tasks in the background at once. */
const MAX_TASKS = 2;

/** How long nothing is asked; a random share of the first half comes off, so that not all kinds are asked again in one refresh. */
const USUAL_MS = 4_000;
const OTHER_MS = 60_000;

/** Kinds outside of the core group that appear below an instance within seconds of its creation. */
const WORKLOADS = new Set(['deployments.apps', 'statefulsets.apps', 'jobs.batch']);

export function createNamespaceMemory({
  now = () => performance.now(),
  random = Math.random,
}: NamespaceMemoryOptions = {}): NamespaceMemory {
  const namespaces = new LRUCache<string, Remembered>({ max: MAX_NAMESPACES, ttl: IDLE_MS, updateAgeOnGet: true });
  /** The kinds of which a namespace had something: names only, so that they may serve everybody. */
  const learnt = new Set<string>();
  const background = createBackground();
  return {
    kindsIn: (actor, namespace, apiGroups = new Set()) => {
      const key = JSON.stringify([actorKey(actor), namespace]);
      const remembered = namespaces.get(key) ?? { entries: new Map(), owners: new Set(), expected: new Set(), isBusy: false };
      namespaces.set(key, remembered);
      return kindsOf(remembered, { learnt, apiGroups, now, random, background });
    },
  };
}

interface KindsOptions extends Required<NamespaceMemoryOptions> {
  readonly learnt: Set<string>;
  readonly apiGroups: ReadonlySet<string>;
  readonly background: Background;
}

function kindsOf(remembered: Remembered, options: KindsOptions): NamespaceKinds {
  const { learnt, now, random, background } = options;
  const { entries, expected, owners } = remembered;
  return {
    isStale: (kind) => isStale(remembered, kind, now()),
    isExpected: (kind) => isExpected(remembered, kind, options),
    recall: (kind) => {
      const entry = entries.get(keyOf(kind));
      return entry === undefined || entry.until < now() ? undefined : entry.list;
    },
    remember: (kind, list) => {
      expected.delete(keyOf(kind));
      entries.set(keyOf(kind), { list, until: now() + (isUsual(kind) ? USUAL_MS : OTHER_MS) * (1 - random() / 2) });
    },
    forget: (kind) => void entries.delete(keyOf(kind)),
    isUsual,
    expect: (kind) => {
      entries.delete(keyOf(kind));
      expected.add(keyOf(kind));
    },
    isLearnt: (kind) => learnt.has(keyOf(kind)),
    learn: (kind) => {
      entries.delete(keyOf(kind));
      if (learnt.size < MAX_LEARNT) learnt.add(keyOf(kind));
    },
    isNewOwner: (uid) => isNew(owners, uid),
    inBackground: (task) => {
      if (remembered.isBusy) return;
      remembered.isBusy = true;
      background(async () => await task().finally(() => (remembered.isBusy = false)));
    },
  };
}

function isStale({ entries }: Remembered, kind: ServedKind, now: number): boolean {
  const entry = entries.get(keyOf(kind));
  return entry !== undefined && entry.list === 'Nothing' && !isUsual(kind) && entry.until < now;
}

function isExpected(remembered: Remembered, kind: ServedKind, { learnt, apiGroups, now }: KindsOptions): boolean {
  const key = keyOf(kind);
  if (isUsual(kind) || apiGroups.has(kind.group) || learnt.has(key) || remembered.expected.has(key)) return true;
  return !isForeign(kind) && !isStale(remembered, kind, now());
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

function isNew(owners: Set<string>, uid: string): boolean {
  if (owners.has(uid)) return false;
  if (owners.size >= MAX_OWNERS) owners.clear();
  owners.add(uid);
  return true;
}

function isUsual(kind: ServedKind): boolean {
  return kind.group === '' || WORKLOADS.has(keyOf(kind));
}

/** Neither Kubernetes nor one of its projects serves it. */
function isForeign({ group }: ServedKind): boolean {
  return group.includes('.') && !isKubernetesGroup(group);
}

function keyOf({ group, resource }: ServedKind): string {
  return group === '' ? resource : `${resource}.${group}`;
}
