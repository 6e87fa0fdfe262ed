import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';

/** How to reach the api-server and who we are there. `ca`, `cert` and `key` are PEM. */
export interface Credentials {
  readonly server: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Reads the credentials from the file that KUBECONFIG names, else from the service account of the pod. Reads the files anew on every
 * call, because the kubelet replaces tokens while the program runs.
 */
export async function readCredentials(environment: NodeJS.ProcessEnv): Promise<Credentials> {
  const kubeconfig = environment['KUBECONFIG'];
  if (kubeconfig !== undefined && kubeconfig !== '') return fromKubeconfig(kubeconfig);
  const host = environment['KUBERNETES_SERVICE_HOST'];
  if (host === undefined) throw new Error('No api-server to talk to: set KUBECONFIG, or run in a pod with a service account');
  return fromServiceAccount(host, environment['KUBERNETES_SERVICE_PORT'] ?? '443');
}

async function fromServiceAccount(host: string, port: string): Promise<Credentials> {
  const [ca, token] = await Promise.all([
    readFile(path.join(SERVICE_ACCOUNT, 'ca.crt'), 'utf8'),
    readFile(path.join(SERVICE_ACCOUNT, 'token'), 'utf8'),
  ]);
  return { server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`, ca, token: token.trim() };
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly { readonly name: string; readonly context: { readonly cluster: string; readonly user: string } }[];
  readonly clusters?: readonly { readonly name: string; readonly cluster: Readonly<Record<string, string>> }[];
  readonly users?: readonly { readonly name: string; readonly user: Readonly<Record<string, string>> }[];
}

async function fromKubeconfig(file: string): Promise<Credentials> {
  const config = parse(await readFile(file, 'utf8')) as Kubeconfig | null;
  const context = config?.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config?.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config?.users?.find(({ name }) => name === context?.user)?.user;
  const server = cluster?.['server'];
  if (server === undefined) throw new Error(`${file}: the current context names no cluster with a server`);

  const folder = path.dirname(file);
  const [ca, cert, key, tokenFromFile] = await Promise.all([
    pem(cluster, 'certificate-authority', folder),
    pem(user, 'client-certificate', folder),
    pem(user, 'client-key', folder),
    fileAt(user?.['tokenFile'], folder),
  ]);
  const token = tokenFromFile?.trim() ?? user?.['token'];
  return defined({ server: server.replace(/\/+$/, ''), ca, cert, key, token });
}

/** PEM that stands in the file itself in base64 (`NAME-data`) or in a file of its own (`NAME`). */
async function pem(block: Readonly<Record<string, string>> | undefined, name: string, folder: string): Promise<string | undefined> {
  const inline = block?.[`${name}-data`];
  if (inline !== undefined) return Buffer.from(inline, 'base64').toString('utf8');
  return fileAt(block?.[name], folder);
}

async function fileAt(file: string | undefined, folder: string): Promise<string | undefined> {
  return file === undefined ? undefined : readFile(path.resolve(folder, file), 'utf8');
}

function defined(found: { readonly server: string } & Record<string, string | undefined>): Credentials {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as unknown as Credentials;
}
