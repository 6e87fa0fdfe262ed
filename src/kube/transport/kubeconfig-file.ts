import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { ConfigEntries } from './credentials.ts';

/**
 * Writes a kubeconfig of one context with the controller's own identity, readable by nobody else, for programs such as helm.
 * Certificates are embedded; exec plugins and token files stay what they are, because their answers expire.
 */
export async function writeKubeconfigFile(file: string, entries: ConfigEntries): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, stringify(kubeconfigOf(entries)), { mode: 0o600, flag: 'wx' });
  await rename(temporary, file);
}

function kubeconfigOf({ cluster, user }: ConfigEntries): object {
  const name = 'chandlery';
  const { exec, authProvider } = user;
  return withoutAbsent({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [
      {
        name,
        cluster: {
          server: cluster.server,
          'certificate-authority-data': dataOf(cluster.caData, cluster.caFile),
          'insecure-skip-tls-verify': cluster.skipTLSVerify || undefined,
          'tls-server-name': cluster.tlsServerName,
          'proxy-url': cluster.proxyUrl,
        },
      },
    ],
    users: [
      {
        name,
        user: {
          'client-certificate-data': dataOf(user.certData, user.certFile),
          'client-key-data': dataOf(user.keyData, user.keyFile),
          token: user.token,
          tokenFile: authProvider?.name === 'tokenFile' ? authProvider.config.tokenFile : undefined,
          username: user.username,
          password: user.password,
          exec,
        },
      },
    ],
  });
}

function dataOf(data: string | undefined, file: string | undefined): string | undefined {
  return data ?? (file === undefined ? undefined : readFileSync(file).toString('base64'));
}

/** client-node fills what is not there with null; a kubeconfig leaves it out. */
function withoutAbsent(value: object): object {
  return JSON.parse(JSON.stringify(value, (_key, member: unknown) => member ?? undefined)) as object;
}
