import { execa } from 'execa';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readCredentials } from '../../charts/controller-runtime/credentials.ts';
import { createTransport } from '../../charts/controller-runtime/transport.ts';
import type { Transport } from '../../charts/controller-runtime/transport.ts';
import { repoRoot } from './cluster.ts';

/** The calls of the cluster's admin. */
export function adminTransport(kubeconfigPath: string): Transport {
  return createTransport(() => readCredentials({ KUBECONFIG: kubeconfigPath }), 'samples-test');
}

export interface OperatorProcess {
  /** Everything that it wrote so far. */
  output(): string;
  /** Asks it to stop; resolves with its exit code. */
  stop(): Promise<number | undefined>;
}

/** Runs the controller of a sample chart as a child process, with a token of the service account that its chart made, and nothing else. */
export async function runSampleOperator(name: string, namespace: string, kubeconfigPath: string): Promise<OperatorProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-sample-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, await kubeconfigFor(name, namespace, kubeconfigPath), { mode: 0o600 });
  const program = join(repoRoot, 'charts', name, 'controller', 'main.ts');
  const child = execa(process.execPath, [program], {
    env: { KUBECONFIG: kubeconfig },
    extendEnv: false,
    all: true,
    reject: false,
  });
  let written = '';
  child.all.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  return {
    output: () => written,
    stop: async () => {
      child.kill('SIGTERM');
      const { exitCode } = await child;
      await rm(folder, { recursive: true, force: true });
      return exitCode;
    },
  };
}

/** A kubeconfig with a token of the service account, and with no other right than its own. */
export async function kubeconfigFor(account: string, namespace: string, kubeconfigPath: string): Promise<string> {
  const { server, ca } = await readCredentials({ KUBECONFIG: kubeconfigPath });
  const answer = await adminTransport(kubeconfigPath)({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
  });
  const { status } = (await answer.json()) as { readonly status: { readonly token: string } };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
    clusters: [{ name: 'it', cluster: { server, 'certificate-authority-data': Buffer.from(ca ?? '').toString('base64') } }],
    users: [{ name: 'it', user: { token: status.token } }],
  });
}
