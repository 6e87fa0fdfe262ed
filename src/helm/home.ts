import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { stringifyJson } from '../domain/core/exact-json.ts';
import type { JsonObject } from '../domain/kubernetes/resource.ts';

/** The name of our post-renderer plugin. */
export const POST_RENDERER = 'chandlery';

const STALE_MS = 3_600_000;
const SCRIPT = fileURLToPath(new URL('post-renderer.sh', import.meta.url));

/** A home of helm's own: nothing of the user's repositories, plugins or credentials is read, and nothing is written there. */
export interface HelmHome {
  readonly dir: string;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Makes the folders of a private home (mode 0700) and the post-renderer plugin in it, `post-renderer.sh`.
 *
 * @param extraEnv what a kubeconfig's credential program needs, or the service address inside a cluster.
 */
export async function prepareHome(dir: string, extraEnv: Readonly<Record<string, string>> = {}): Promise<HelmHome> {
  const folder = (name: string) => join(dir, name);
  for (const name of ['', 'cache', 'config', 'data', 'plugins', 'values', 'tmp'])
    await mkdir(folder(name), { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  await removeStale(folder('values'));
  await writePlugin(folder('plugins'), POST_RENDERER, { command: '/bin/sh', args: [SCRIPT] });
  const env = {
    HOME: dir,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TMPDIR: folder('tmp'),
    HELM_CACHE_HOME: folder('cache'),
    HELM_CONFIG_HOME: folder('config'),
    HELM_DATA_HOME: folder('data'),
    HELM_PLUGINS: folder('plugins'),
    HELM_DRIVER: 'secret',
    // The collector works harder before the bound of `bounds.ts` ends the program.
    GOMEMLIMIT: '384MiB',
    // Until then it works less: most runs are over before they need what it would free.
    GOGC: '400',
    ...extraEnv,
  };
  return { dir, env };
}

/** Values files of a process that was killed before it could remove them. */
async function removeStale(valuesDir: string): Promise<void> {
  for (const name of await readdir(valuesDir)) {
    const path = join(valuesDir, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity);
    if (age > STALE_MS) await rm(path, { force: true });
  }
}

async function writePlugin(
  pluginsDir: string,
  name: string,
  program: { readonly command: string; readonly args: readonly string[] },
): Promise<void> {
  const dir = join(pluginsDir, name);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, 'plugin.yaml');
  const text = stringify({
    apiVersion: 'v1',
    type: 'postrenderer/v1',
    name,
    version: '1.0.0',
    runtime: 'subprocess',
    runtimeConfig: { platformCommand: [program] },
  });
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, file);
}

/**
 * Lends the values to the task as a file that only we can read, and removes it afterwards, whatever happens. JSON is YAML. The path is
 * relative to the home, where the program runs: helm would split an absolute one at a comma.
 */
export async function withValuesFile<T>(home: HelmHome, values: JsonObject, task: (path: string) => Promise<T>): Promise<T> {
  const path = join('values', `${randomUUID()}.json`);
  try {
    await writeFile(join(home.dir, path), stringifyJson(values), { mode: 0o600, flag: 'wx' });
    return await task(path);
  } finally {
    await rm(join(home.dir, path), { force: true });
  }
}
