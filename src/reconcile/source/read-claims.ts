import { specOf } from '../../domain/kind/kind.ts';
import { CATALOG_SOURCE_KIND } from '../../domain/source/catalog-source.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { readParsedFolder, stockOf } from './state.ts';

/**
 * The resources that other sources have a document of, whoever owns them: what a source gives up of these is handed over rather than deleted. Their
 * folders are read, because their status may be older than a document that has just moved.
 */
export async function readClaims(source: string, sources: readonly KubeObject[]): Promise<ReadonlySet<string>> {
  const others = sources.filter(({ metadata }) => metadata.name !== source && metadata.deletionTimestamp === undefined);
  const contents = await Promise.all(others.map(async (other) => await readParsedFolder(specOf(CATALOG_SOURCE_KIND, other).folder.path)));
  return new Set(contents.flatMap((content) => (content.kind === 'Read' ? [...stockOf(content).named] : [])));
}
