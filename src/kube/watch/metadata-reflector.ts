import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { startReflector, type Reflector, type ReflectorOptions } from './reflector.ts';

export interface MetadataReflectorOptions extends Omit<ReflectorOptions, 'cluster' | 'keep'> {
  readonly cluster: Pick<Cluster, 'listMetadata' | 'watchMetadata'>;
}

/** A copy of which objects of a type there are, and in which version. Neither content nor labels ever are in memory. */
export function startMetadataReflector({ cluster, ...options }: MetadataReflectorOptions): Reflector {
  const names = { list: cluster.listMetadata, watch: cluster.watchMetadata };
  return startReflector({ ...options, cluster: names, keep: nameAndVersion });
}

function nameAndVersion({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
