import { execa } from 'execa';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { createKube } from '../../src/kube/kube.ts';
import { repoRoot } from './cluster.ts';

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

/** A kubeconfig with a token of the service account, and with no other permission than its own. */
export async function kubeconfigFor(name: string, namespace: string, kubeconfigPath: string): Promise<string> {
  const kube = createKube({ kubeconfigPath, userAgent: 'samples-test' });
  try {
    const token = await kube.requestToken({ namespace, name }, 3600);
    const config = parse(await readFile(kubeconfigPath, 'utf8')) as { readonly users: readonly { readonly name: string }[] };
    return stringify({ ...config, users: config.users.map((user) => ({ name: user.name, user: { token } })) });
  } finally {
    await kube.close();
  }
}
