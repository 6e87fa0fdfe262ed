import type { Manifest } from '../../controller-runtime/kube-object.ts';
import { type Cache, selectorOf } from './cache.ts';

/** The Services of a Cache: one for the first pod, one that names each pod, and with followers one for reading. */
export function services(cache: Cache): readonly Manifest[] {
  const { names, spec } = cache;
  const { type, port, annotations } = spec.exposure;
  const selector = selectorOf(cache);
  const ports = [{ name: 'valkey', port, targetPort: 'valkey', protocol: 'TCP' }];
  const first = { ...selector, 'statefulset.kubernetes.io/pod-name': `${names.main}-0` };
  const main = service(cache, names.main, { type, selector: first, ports });
  return [
    annotations === undefined ? main : { ...main, metadata: { ...main.metadata, annotations } },
    // Followers look for the first pod while it is not ready yet.
    service(cache, names.nodes, {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector,
      ports: [{ name: 'valkey', port: 6379, targetPort: 'valkey', protocol: 'TCP' }],
    }),
    ...(spec.replicas > 1 ? [service(cache, names.read, { type: 'ClusterIP', selector, ports })] : []),
  ];
}

function service(cache: Cache, name: string, spec: NonNullable<Manifest['spec']>): Manifest {
  return { apiVersion: 'v1', kind: 'Service', metadata: { namespace: cache.namespace, name, labels: selectorOf(cache) }, spec };
}
