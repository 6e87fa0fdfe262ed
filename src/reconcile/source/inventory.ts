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
