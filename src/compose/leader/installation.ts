import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Config } from '../../config.ts';

/** What a cluster is managed by: one or several processes that belong together. */
export interface Installation {
  /** The same at each start, also of another version. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

interface InstallationInput {
  readonly config: Pick<Config, 'installation' | 'cluster'>;
  readonly stateDir: string;
  /** Of the state folder, the same at each start. */
  readonly stateId: string;
  /** Absent where no folder is applied. */
  readonly catalogDir?: string | undefined;
}

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** The installation that this process belongs to: by its setting; else in a pod by the namespace, elsewhere by the state folder. */
export async function installationOf({ config, stateDir, stateId, catalogDir }: InstallationInput): Promise<Installation> {
  const name = config.installation ?? (config.cluster.kind === 'in-cluster' ? await namespaceOfPod() : undefined);
  if (name !== undefined) return { id: `installation ${name}`, name: JSON.stringify(name) };
  const catalog = catalogDir === undefined ? '' : ` and catalogue ${JSON.stringify(catalogDir)}`;
  return { id: `state ${stateId}`, name: `the process on ${hostname()} with state folder ${JSON.stringify(stateDir)}${catalog}` };
}

/** Undefined in a pod without a service account. */
async function namespaceOfPod(): Promise<string | undefined> {
  const text = await readFile(NAMESPACE_FILE, 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : text.trim();
}
