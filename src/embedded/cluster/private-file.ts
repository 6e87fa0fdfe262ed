import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Writes a file that only its owner can read, whole or not at all. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
