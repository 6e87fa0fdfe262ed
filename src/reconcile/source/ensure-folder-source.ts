import { resolve } from 'node:path';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';

/** The name of the CatalogSource for the folder that Chandlery was started with. */
const FOLDER_SOURCE = 'catalog';

/** Makes the CatalogSource `catalog` follow a folder; the other fields of one that exists are left as they are. */
export async function ensureFolderSource(cluster: Pick<Cluster, 'apply'>, path: string, signal?: AbortSignal): Promise<void> {
  const source: KubeObject = {
    apiVersion: apiVersionOf(CATALOG_SOURCE),
    kind: 'CatalogSource',
    metadata: { name: FOLDER_SOURCE },
    spec: { folder: { path: resolve(path) } },
  };
  await cluster.apply(CATALOG_SOURCE, source, {
    fieldManager: OURS.fieldManager,
    force: 'force',
    ...(signal === undefined ? {} : { signal }),
  });
}
