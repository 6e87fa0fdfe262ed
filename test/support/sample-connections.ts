import type { ConnectionView } from '../../src/operation/connection/show-connection.ts';

const kubectl = 'kubectl get secret orders-app --namespace team-a --output go-template=\'{{index .data "password" | base64decode}}\'';
const missing = { verb: 'get', group: '', resource: 'secrets', namespace: 'team-a', name: 'orders-admin' };

/** Of `orders` described by the catalogue, of `archive` not, and of all others with nothing known yet. */
export function sampleConnection(name: string): ConnectionView {
  if (name === 'orders') return { curated: true, keys: KEYS, services: [], secrets: [] };
  if (name !== 'archive') return { curated: false, keys: [], services: [], secrets: [] };
  const portForward = 'kubectl port-forward service/archive-rw 5432:5432 --namespace team-a';
  const service = { kind: 'Service', name: 'archive-rw', scope: 'Cluster', address: 'archive-rw.team-a.svc:5432', portForward } as const;
  return { curated: false, keys: [], services: [service], secrets: ['archive-app', 'archive-tls'] };
}

const KEYS: ConnectionView['keys'] = [
  { name: 'host', label: 'Host', description: 'Answers reads and writes', kind: 'Value', value: 'orders-rw.team-a.svc' },
  {
    name: 'service',
    label: 'Address',
    description: '',
    kind: 'Value',
    value: 'orders-rw.team-a.svc:5432',
    kubectl: 'kubectl port-forward service/orders-rw 5432:5432 --namespace team-a',
  },
  { name: 'password', label: 'Password', description: '', kind: 'Secret', secret: { name: 'orders-app', key: 'password' }, kubectl },
  {
    name: 'admin-password',
    label: 'Password of the superuser',
    description: '',
    kind: 'Secret',
    secret: { name: 'orders-admin', key: 'password' },
    missing,
  },
  { name: 'endpoint', label: 'endpoint', description: '', kind: 'Unavailable', message: 'The instance does not have status.endpoint yet' },
];
