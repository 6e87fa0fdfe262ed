import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** All entries of the audit log of a product, as lines of JSON, the oldest first. */
export async function readAuditLog(stateDir: string): Promise<string> {
  const folder = join(stateDir, 'store.audit-log');
  const names = (await readdir(folder)).toSorted();
  return (await Promise.all(names.map(async (name) => await readFile(join(folder, name), 'utf8')))).join('');
}
