import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { openKube } from './open-kube.ts';

/** A kubeconfig with a token of the service account for an hour, and with no other permission than its own. */
export async function kubeconfigFor(name: string, namespace: string, kubeconfigPath: string): Promise<string> {
  const kube = openKube(kubeconfigPath);
  try {
    const token = await kube.requestToken({ namespace, name }, 3600);
    const config = parse(await readFile(kubeconfigPath, 'utf8')) as { readonly users: readonly { readonly name: string }[] };
    return stringify({ ...config, users: config.users.map((user) => ({ name: user.name, user: { token } })) });
  } finally {
    await kube.close();
  }
}
