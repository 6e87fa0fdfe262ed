import type { Manifest } from '../../controller-runtime/kube-object.ts';
import { type PostgresCluster, selectorOf } from './postgres-cluster.ts';

/** The Services of a cluster: one for the first instance, one that names each pod, and with several instances one for reading. */
export function services(cluster: PostgresCluster): readonly Manifest[] {
  const { names, spec } = cluster;
  const { type, port, annotations } = spec.exposure;
  const selector = selectorOf(cluster);
  const ports = [{ name: 'postgres', port, targetPort: 'postgres', protocol: 'TCP' }];
  const first = { ...selector, 'statefulset.kubernetes.io/pod-name': `${names.main}-0` };
  const main = service(cluster, names.main, { type, selector: first, ports });
  return [
    annotations === undefined ? main : { ...main, metadata: { ...main.metadata, annotations } },
    service(cluster, names.nodes, {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector,
      ports: [
        { name: 'postgres', port: 5432, targetPort: 'postgres', protocol: 'TCP' },
        ...(spec.monitoring.enabled ? [{ name: 'metrics', port: 9187, targetPort: 'metrics', protocol: 'TCP' }] : []),
      ],
    }),
    ...(spec.instances > 1 ? [service(cluster, names.read, { type: 'ClusterIP', selector, ports })] : []),
  ];
}

function service(cluster: PostgresCluster, name: string, spec: NonNullable<Manifest['spec']>): Manifest {
  return { apiVersion: 'v1', kind: 'Service', metadata: { namespace: cluster.namespace, name, labels: selectorOf(cluster) }, spec };
}
