import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { podSecurity } from '../../controller-runtime/pod-parts.ts';
import { CONFIG } from './config-map.ts';
import type { PostgresCluster } from './postgres-cluster.ts';
import { CREDENTIALS } from './setup-sql.ts';

/** The user and group `postgres` of the image. */
const POSTGRES_ID = 999;

/** What the pods of the database, of its setup and of its backups have in common. */
export function podBasics({ spec }: PostgresCluster): JsonObject {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity(POSTGRES_ID),
    ...(spec.tolerations === undefined ? {} : { tolerations: spec.tolerations }),
  };
}

/** The settings, the passwords and a place for temporary files. */
export function commonVolumes({ names }: PostgresCluster): readonly JsonObject[] {
  return [
    { name: 'config', configMap: { name: names.config } },
    { name: 'credentials', secret: { secretName: names.secret, defaultMode: 0o440 } },
    { name: 'tmp', emptyDir: {} },
  ];
}

export const COMMON_MOUNTS: readonly JsonObject[] = [
  { name: 'config', mountPath: CONFIG, readOnly: true },
  { name: 'credentials', mountPath: CREDENTIALS, readOnly: true },
  { name: 'tmp', mountPath: '/tmp' },
];

/** How a client program of PostgreSQL finds the server and logs in as its superuser. */
export function clientEnvironment({ names, namespace, spec }: PostgresCluster): readonly JsonObject[] {
  return [
    { name: 'PGHOST', value: `${names.main}.${namespace}.svc` },
    { name: 'PGPORT', value: String(spec.exposure.port) },
    { name: 'PGUSER', value: 'postgres' },
    { name: 'PGPASSWORD', valueFrom: { secretKeyRef: spec.superuserPasswordSecret ?? { name: names.secret, key: 'password-postgres' } } },
  ];
}

/** Small enough for any quota: these pods only send statements or copy a stream. */
export const HELPER_RESOURCES: JsonObject = { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } };
