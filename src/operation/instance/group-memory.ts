import { LRUCache } from 'lru-cache';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type KubeObject, parseApiVersion, type ServedKind } from '../../domain/kubernetes/resource.ts';

/** What an actor found when a kind was listed for a group: nothing that belongs to it, or that the list is not allowed. */
export type RememberedList = 'Nothing' | 'Forbidden';

/** The kinds of which nothing belongs to one group, as one actor saw it. Never what somebody may read: only what need not be asked again yet. */
export interface GroupKinds {
  /** Undefined for a kind that has to be listed. */
  recall(kind: ServedKind): RememberedList | undefined;
  remember(kind: ServedKind, list: RememberedList): void;
  forget(kind: ServedKind): void;
  /** Whether such objects usually appear within seconds. */
  isUsual(kind: ServedKind): boolean;
  /** Whether an owner that nobody has read is looked for the first time. */
  isNewOwner(uid: string): boolean;
}

/** Remembers, for each actor and group, which kinds need not be listed on every refresh. */
export interface GroupMemory {
  /** The group of an object; when the object has changed, what its controller usually creates is listed again at once. */
  kindsFor(actor: Actor, root: KubeObject): GroupKinds;
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
  version: string;
}

/** About 40 kB each where 400 kinds are served. */
const MOST_GROUPS = 300;
const MOST_OWNERS = 2_000;
const IDLE_MS = 600_000;

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

export function createGroupMemory({ now = () => performance.now(), random = Math.random }: GroupMemoryOptions = {}): GroupMemory {
  const groups = new LRUCache<string, Group>({ max: MOST_GROUPS, ttl: IDLE_MS, updateAgeOnGet: true });
  return {
    kindsFor: (actor, root) => {
      const key = JSON.stringify([actor.user, actor.groups, root.metadata.uid]);
      const group = groups.get(key) ?? { entries: new Map(), owners: new Set(), version: '' };
      groups.set(key, group);
      const version = root.metadata.resourceVersion ?? '';
      if (group.version !== version) forgetUsual(group);
      group.version = version;
      const ownGroup = parseApiVersion(root.apiVersion).group;
      return {
        recall: (kind) => {
          const entry = group.entries.get(keyOf(kind));
          return entry === undefined || entry.until < now() ? undefined : entry.list;
        },
        remember: (kind, list) => {
          const span = spanOf(kind, ownGroup);
          group.entries.set(keyOf(kind), { list, span, until: now() + SPANS[span] * (1 - random() / 2) });
        },
        forget: (kind) => void group.entries.delete(keyOf(kind)),
        isUsual: (kind) => spanOf(kind, ownGroup) === 'Short',
        isNewOwner: (uid) => isNew(group.owners, uid),
      };
    },
  };
}

function forgetUsual({ entries }: Group): void {
  for (const [key, { span }] of entries) if (span !== 'Long') entries.delete(key);
}

function isNew(owners: Set<string>, uid: string): boolean {
  if (owners.has(uid)) return false;
  if (owners.size >= MOST_OWNERS) owners.clear();
  owners.add(uid);
  return true;
}

/** In the group of a namespace anything may be created at any time; an instance is created by an operator, whose kinds are few. */
function spanOf(kind: ServedKind, ownGroup: string): Span {
  if (WORKLOADS.has(keyOf(kind)) || kind.group === ownGroup) return 'Short';
  if (ownGroup === '') return 'Middle';
  return kind.group.includes('.') && !kind.group.endsWith('.k8s.io') ? 'Long' : 'Middle';
}

function keyOf({ group, resource }: ServedKind): string {
  return group === '' ? resource : `${resource}.${group}`;
}
