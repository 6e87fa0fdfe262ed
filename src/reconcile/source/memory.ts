import { createHash } from 'node:crypto';
import { textAt } from '../../domain/core/read.ts';
import { conditionsOf, findCondition } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type Candidate, idOfItem } from '../../domain/source/check-documents.ts';
import type { InventoryItem } from '../../domain/source/catalog-source.ts';

/** What this process has applied for a source. It is only about calls that can be saved: all of it can be found again. */
export interface Known {
  readonly uid: string;
  readonly generation: number;
  /** The revision that is live as a whole, if one is. */
  readonly revision?: string;
  /** When everything was applied last, in milliseconds. */
  readonly appliedAt: number;
  /** Of the documents that are live, by id. */
  readonly digests: ReadonlyMap<string, string>;
}

export interface SourceMemory {
  get(source: string): Known | undefined;
  /** Begins a reconcile. Its end keeps what is known then, unless the source was forgotten meanwhile. */
  begin(source: string): (known: Known) => void;
  /** Has everything of a source applied again. */
  forget(source: string): void;
}

export function createSourceMemory(): SourceMemory {
  const known = new Map<string, Known>();
  const begun = new Map<string, object>();
  return {
    get: (source) => known.get(source),
    begin: (source) => {
      const token = {};
      begun.set(source, token);
      return (found) => {
        if (begun.get(source) === token) known.set(source, found);
      };
    },
    forget: (source) => {
      known.delete(source);
      begun.delete(source);
    },
  };
}

/** Whether what is known is about this source as it is, and young enough to be believed. */
export function isCurrent(
  known: Known,
  { metadata }: KubeObject,
  until: { readonly now: number; readonly selfHealInterval: number },
): boolean {
  const isSame = metadata.uid === known.uid && metadata.generation === known.generation && metadata.deletionTimestamp === undefined;
  return isSame && until.now < known.appliedAt + until.selfHealInterval;
}

/** Whether a source, by its status, has nothing to do but to look for another revision. */
export function isAtRest(known: Known, { metadata, status }: KubeObject): boolean {
  const ready = findCondition(conditionsOf({ apiVersion: '', kind: '', metadata, status }), 'Ready');
  const asked = metadata.annotations?.[OURS.reconcileAt];
  return (
    known.revision !== undefined &&
    textAt(status, 'lastAppliedRevision') === known.revision &&
    textAt(status, 'revision') === known.revision &&
    ready?.status === 'True' &&
    (asked === undefined || asked === textAt(status, 'lastHandledReconcileAt'))
  );
}

/** The ids of documents that are live as they are. */
export function unchangedOf(known: Known, candidates: readonly Candidate[], inventory: readonly InventoryItem[]): ReadonlySet<string> {
  const owned = new Set(inventory.filter(({ uid }) => uid !== undefined).map(idOfItem));
  return new Set(candidates.filter((one) => owned.has(one.id) && known.digests.get(one.id) === digestOf(one)).map(({ id }) => id));
}

export function digestsOf(candidates: readonly Candidate[]): ReadonlyMap<string, string> {
  return new Map(candidates.map((candidate) => [candidate.id, digestOf(candidate)]));
}

function digestOf({ object, document }: Candidate): string {
  const text = JSON.stringify([document.file, object], (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  return createHash('sha256').update(text).digest('base64');
}
