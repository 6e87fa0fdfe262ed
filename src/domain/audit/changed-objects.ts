import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../kubernetes/resource.ts';
import { memberKey } from '../tree/release-members.ts';
import { escapeControls } from './escape-controls.ts';

/** The objects that a change of a Helm release is about, by kind and name: `Deployment web`. */
export interface ChangedObjects {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Hooks that ran. Helm may have removed them again. */
  readonly hooks: readonly string[];
  /** How many more there are than the lists name. */
  readonly more: number;
}

/** What Helm keeps of a revision, as far as it is needed here. */
export interface RevisionManifest {
  /** Without hooks. */
  readonly objects: readonly KubeObject[];
  readonly hooks: readonly KubeObject[];
}

interface ManifestChange {
  /** The revision before; absent: there was none. */
  readonly before?: RevisionManifest | undefined;
  /** The revision after; absent: the release is gone. */
  readonly after?: RevisionManifest | undefined;
  /** The hook events that ran: `pre-install`; none where hooks were skipped. */
  readonly events: readonly string[];
}

/** Compares the manifests of a release before and after a change. Objects that Helm is told to keep are not removed. */
export function changedObjects({ before, after, events }: ManifestChange): ChangedObjects {
  const earlier = new Map((before?.objects ?? []).map((object) => [memberKey(object), object]));
  const later = new Map((after?.objects ?? []).map((object) => [memberKey(object), object]));
  const hooks = (after ?? before)?.hooks ?? [];
  return boundObjects({
    created: namesOf([...later].filter(([key]) => !earlier.has(key))),
    changed: namesOf([...later].filter(([key, object]) => earlier.has(key) && !isDeepStrictEqual(earlier.get(key), object))),
    removed: namesOf([...earlier].filter(([key, object]) => !later.has(key) && !isKept(object))),
    hooks: hooks.filter((hook) => eventsOf(hook).some((event) => events.includes(event))).map(objectName),
    more: 0,
  });
}

/** https://helm.sh/docs/howto/charts_tips_and_tricks/#tell-helm-not-to-uninstall-a-resource */
function isKept({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['helm.sh/resource-policy']?.trim().toLowerCase() === 'keep';
}

/** `test-success` is what Helm 2 called `test`. */
function eventsOf({ metadata }: KubeObject): readonly string[] {
  const events = (metadata.annotations?.['helm.sh/hook'] ?? '').split(',').map((event) => event.trim().toLowerCase());
  return events.map((event) => (event === 'test-success' ? 'test' : event));
}

function namesOf(entries: readonly (readonly [key: string, object: KubeObject])[]): readonly string[] {
  return entries.map(([, object]) => objectName(object));
}

/** `Deployment web` */
function objectName({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): string {
  return `${kind} ${metadata.name}`;
}

/** Names in one entry, and characters of each. */
const MAX_NAMES = 50;
const MAX_LENGTH = 160;

/** The same with at most fifty names of bounded length, in plain characters. */
export function boundObjects({ created, changed, removed, hooks, more }: ChangedObjects): ChangedObjects {
  let room = MAX_NAMES;
  const take = (names: readonly string[]): readonly string[] => {
    const taken = names.slice(0, room).map((name) => escapeControls(name).slice(0, MAX_LENGTH));
    room -= taken.length;
    return taken;
  };
  // What was removed is gone, so it comes first.
  const kept = { removed: take(removed), created: take(created), changed: take(changed), hooks: take(hooks) };
  const all = [created, changed, removed, hooks].reduce((sum, names) => sum + names.length, more);
  return { ...kept, more: all - (MAX_NAMES - room) };
}

/** `2 created, 1 changed, 1 removed`; empty when there is nothing to count. */
export function countsOf({ created, changed, removed, hooks, more }: ChangedObjects): string {
  const counts = [
    [created.length, 'created'],
    [changed.length, 'changed'],
    [removed.length, 'removed'],
    [hooks.length, hooks.length === 1 ? 'hook' : 'hooks'],
    [more, 'more'],
  ] as const;
  return counts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(', ');
}
