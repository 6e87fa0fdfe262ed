import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { CONTAINER_SECURITY } from '../../controller-runtime/pod-parts.ts';
import { CREDENTIALS } from './setup-sql.ts';

/** The container that offers figures to Prometheus. */
export function exporter(): JsonObject {
  return {
    name: 'exporter',
    image: 'quay.io/prometheuscommunity/postgres-exporter:v0.17.1',
    ports: [{ name: 'metrics', containerPort: 9187, protocol: 'TCP' }],
    env: [
      { name: 'DATA_SOURCE_URI', value: '127.0.0.1:5432/postgres?sslmode=disable' },
      { name: 'DATA_SOURCE_USER', value: 'postgres' },
      { name: 'DATA_SOURCE_PASS_FILE', value: `${CREDENTIALS}/password-postgres` },
    ],
    resources: { requests: { cpu: '20m', memory: '32Mi' }, limits: { memory: '64Mi' } },
    securityContext: CONTAINER_SECURITY,
    readinessProbe: { httpGet: { path: '/', port: 'metrics' }, periodSeconds: 10 },
    volumeMounts: [{ name: 'credentials', mountPath: CREDENTIALS, readOnly: true }],
  };
}
