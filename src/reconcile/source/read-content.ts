import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourceSpec } from '../../domain/source/catalog-source.ts';
import { dependencyProblem } from '../../domain/source/dependencies.ts';
import { findKinds } from '../../domain/source/stock.ts';
import { readFolderOf } from './fetch-source.ts';
import type { Work } from './report-source.ts';
import type { Content } from './state.ts';

/** What the folder holds, or the repository, and the kinds in it. */
export async function readContent(work: Work, spec: SourceSpec): Promise<Content> {
  const { ports, source, signal } = work;
  const kindOf = (): undefined => undefined;
  const problem = spec.dependsOn.length === 0 ? undefined : dependencyProblem(source, await allSources(work));
  if (problem !== undefined) return { folder: { kind: 'Blocked', problem }, kindOf };
  const folder = await readFolderOf(work, spec);
  if (folder.kind !== 'Read') return { folder, kindOf };
  const find = (apiVersion: string, kind: string) => ports.discovery.find(apiVersion, kind, signal);
  return { folder, kindOf: await findKinds(folder.files, find) };
}

/** All CatalogSources. */
export async function allSources({ ports, signal }: Pick<Work, 'ports' | 'signal'>): Promise<readonly KubeObject[]> {
  return (await ports.cluster.list(CATALOG_SOURCE, { signal })).items;
}
