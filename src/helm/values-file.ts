import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../domain/kubernetes/resource.ts';
import type { HelmHome } from './home.ts';

/**
 * Lends the values to the task as a file that only we can read, and removes it afterwards, whatever happens. JSON is YAML. The path is
 * relative to the home, where the program runs: helm would split an absolute one at a comma.
 */
export async function withValuesFile<T>(home: HelmHome, values: JsonObject, task: (path: string) => Promise<T>): Promise<T> {
  const path = join('values', `${randomUUID()}.json`);
  try {
    await writeFile(join(home.dir, path), JSON.stringify(values), { mode: 0o600, flag: 'wx' });
    return await task(path);
  } finally {
    await rm(join(home.dir, path), { force: true });
  }
}
