import { rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file of a folder that a product watches, whole or not at all: written in place, it could be read while it is empty or half there. The folder
 * ignores the temporary name.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, path);
}
