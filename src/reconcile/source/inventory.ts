import { createHash } from 'node:crypto';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { textAt } from '../../domain/core/read.ts';
import { conditionsOf, findCondition } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE_KIND, type InventoryItem, type SourceFault, type SourceSpec } from '../../domain/source/catalog-source.ts';
import { type Candidate, idOfItem } from '../../domain/source/check-documents.ts';
import { findKinds, type Stock, stockOf } from '../../domain/source/stock.ts';
import type { SourcePorts } from './ports.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

interface Outcome {
  readonly stock: Stock;
  readonly faults: readonly SourceFault[];
  readonly applied: readonly Candidate[];
  readonly prune: boolean;
  /** The ids of resources that other sources have a document of, too. */
  readonly claims: ReadonlySet<string>;
}

/**
 * What of the old inventory is gone from the folder, and what stays on it because its document, or something in its file, has a fault. What another
 * source has now is gone as soon as its file can be read: it is not deleted, and two sources may wait for one another.
 */
export function sortOut(inventory: readonly InventoryItem[], outcome: Outcome): { gone: InventoryItem[]; kept: InventoryItem[] } {
  const { stock, faults, applied, claims } = outcome;
  const faulty = new Set(faults.map((fault) => fault.file));
  const unread = new Set(faults.filter(({ resource }) => resource === undefined).map((fault) => fault.file));
  const live = new Set(applied.map(({ id }) => id));
  const others = inventory.filter((item) => !live.has(idOfItem(item)));
  const stays = (item: InventoryItem): boolean =>
    stock.named.has(idOfItem(item)) || (claims.has(idOfItem(item)) ? unread : faulty).has(item.file);
  const isGone = (item: InventoryItem): boolean => !stays(item) && (outcome.prune || claims.has(idOfItem(item)));
  return { gone: others.filter(isGone), kept: others.filter(stays) };
}

interface ClaimsInput {
  /** The CatalogSource that gives something up. */
  readonly source: KubeObject;
  /** The revision of it that is about to be applied; absent when the source is deleted. */
  readonly revision?: string;
  /** All CatalogSources. */
  readonly sources: readonly KubeObject[];
  readonly signal: AbortSignal;
}

type ClaimPorts = Pick<SourcePorts, 'git' | 'artifacts' | 'readFolder' | 'discovery'>;

/**
 * The ids of resources that other sources have a document of, whoever owns them: what a source gives up of these is handed over rather than deleted. Their
 * folders are read, because their status may be older than a document that has just moved; of a repository, the last revision that was fetched. Of a source
 * that follows the same ref of the same repository that is the revision about to be applied: one commit may move a document from the one to the other.
 */
export async function readClaims(ports: ClaimPorts, input: ClaimsInput): Promise<ReadonlySet<string>> {
  const { readFolder, discovery } = ports;
  const others = input.sources.filter(
    ({ metadata }) => metadata.name !== input.source.metadata.name && metadata.deletionTimestamp === undefined,
  );
  const claimed = await Promise.all(
    others.map(async (other): Promise<readonly string[]> => {
      const spec = specOf(CATALOG_SOURCE_KIND, other);
      const path = (await folderOfSameCommit(ports, input, spec)) ?? (await latestFolder(ports, other.metadata.name, spec));
      const content =
        path === undefined ? undefined : await readFolder(path, spec.kustomize === undefined ? {} : { kustomize: spec.kustomize.path });
      if (content?.kind !== 'Read') return [];
      return [...stockOf(content, { spec, kindOf: await findKinds(content.files, discovery.find) }).named];
    }),
  );
  return new Set(claimed.flat());
}

async function folderOfSameCommit(
  { git }: Pick<SourcePorts, 'git'>,
  { source, revision = '', signal }: ClaimsInput,
  { git: other, suspend }: SourceSpec,
): Promise<string | undefined> {
  const own = specOf(CATALOG_SOURCE_KIND, source).git;
  const commit = /@sha1:([0-9a-f]{40})$/.exec(revision)?.[1];
  if (own === undefined || other === undefined || commit === undefined || suspend) return undefined;
  if (own.url !== other.url || JSON.stringify(own.ref ?? {}) !== JSON.stringify(other.ref ?? {})) return undefined;
  return await git.beside({ source: source.metadata.name, git: own }, { commit, path: other.path }, signal);
}

async function latestFolder(
  { git, artifacts }: Pick<SourcePorts, 'git' | 'artifacts'>,
  source: string,
  spec: SourceSpec,
): Promise<string | undefined> {
  if (spec.git !== undefined) return await git.latest({ source, git: spec.git });
  if (spec.oci !== undefined) return await artifacts.latest({ source, oci: spec.oci });
  return spec.folder?.path;
}

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
  const text = stringifyJson([document.file, object]);
  return createHash('sha256').update(text).digest('base64');
}
