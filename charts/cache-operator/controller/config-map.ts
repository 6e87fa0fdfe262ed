import type { Manifest } from '../../controller-runtime/kube-object.ts';
import { type Cache, memoryBytes } from './cache.ts';

/** The settings of Valkey, and the script that starts a pod as the first one or as a follower. */
export function configMap(cache: Cache): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: cache.namespace, name: cache.names.config },
    data: { 'valkey.conf': valkeyConf(cache), 'start.sh': startScript(cache) },
  };
}

function valkeyConf(cache: Cache): string {
  const { spec } = cache;
  const own = [
    'port 6379',
    'dir /data',
    'aclfile /etc/valkey/users.acl',
    'include /run/valkey/auth.conf',
    `maxmemory ${memoryBytes(cache)}`,
    `maxmemory-policy ${spec.evictionPolicy}`,
    `appendonly ${spec.persistence.enabled ? 'yes' : 'no'}`,
    ...(spec.persistence.enabled ? [] : ['save ""']),
  ];
  const asked = Object.entries(spec.parameters ?? {})
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => `${name} "${value}"`);
  return [...own, ...asked, ''].join('\n');
}

/** Pod 0 takes writes, all others follow it. The password goes through a file in memory: arguments can be read by everybody on a node. */
function startScript({ names, namespace }: Cache): string {
  const first = `${names.main}-0`;
  return [
    '#!/bin/sh',
    'set -eu',
    'umask 077',
    `printf 'masteruser replication\\nmasterauth %s\\n' "$REPLICATION_PASSWORD" > /run/valkey/auth.conf`,
    `if [ "$POD_NAME" != "${first}" ]; then`,
    `  printf 'replicaof ${first}.${names.nodes}.${namespace}.svc 6379\\n' >> /run/valkey/auth.conf`,
    'fi',
    'exec valkey-server /etc/valkey/valkey.conf',
    '',
  ].join('\n');
}
