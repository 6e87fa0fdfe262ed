import { CATALOG_SOURCE_KIND, type InventoryItem, type SourceFault } from '../../domain/source/catalog-source.ts';
import { type Candidate, nameOfItem } from './check-documents.ts';
import type { SourcePorts } from './ports.ts';
import { readParsedFolder, type Stock, stockOf } from './state.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

interface Outcome {
  readonly stock: Stock;
  readonly faults: readonly SourceFault[];
  readonly applied: readonly Candidate[];
  readonly prune: boolean;
  /** The resources that other sources have a document of, too. */
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
  const live = new Set(applied.map(({ resource }) => resource));
  const others = inventory.filter((item) => !live.has(nameOfItem(item)));
  const stays = (item: InventoryItem): boolean =>
    stock.named.has(nameOfItem(item)) || (claims.has(nameOfItem(item)) ? unread : faulty).has(item.file);
  const isGone = (item: InventoryItem): boolean => !stays(item) && (outcome.prune || claims.has(nameOfItem(item)));
  return { gone: others.filter(isGone), kept: others.filter(stays) };
}

/**
 * The resources that other sources have a document of, whoever owns them: what a source gives up of these is handed over rather than deleted. Their
 * folders are read, because their status may be older than a document that has just moved; of a repository, the last revision that was fetched.
 */
export async function readClaims(
  { git }: Pick<SourcePorts, 'git'>,
  source: string,
  sources: readonly KubeObject[],
): Promise<ReadonlySet<string>> {
  const others = sources.filter(({ metadata }) => metadata.name !== source && metadata.deletionTimestamp === undefined);
  const folders = await Promise.all(
    others.map(async (other) => {
      const spec = specOf(CATALOG_SOURCE_KIND, other);
      return spec.git === undefined ? spec.folder?.path : await git.latest({ source: other.metadata.name, git: spec.git });
    }),
  );
  const contents = await Promise.all(folders.flatMap((path) => (path === undefined ? [] : [readParsedFolder(path)])));
  return new Set(contents.flatMap((content) => (content.kind === 'Read' ? [...stockOf(content).named] : [])));
}
