import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeText } from '../../domain/yaml/decode-text.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import { readReleaseRepository, type ReleaseRepository } from '../../domain/release/release-repository.ts';

const MAX_FILES = 20_000;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
/** `<installation>/<cluster>/base/…` and some folders below. */
const MAX_DEPTH = 12;

/**
 * Reads the releases and targets of a working tree. Links are not followed, and hidden files are left out.
 *
 * @throws AppError `InvalidInput` for a folder that cannot be read, `TooLarge`.
 */
export async function readTree(root: string): Promise<ReleaseRepository> {
  const texts = new Map<string, string>();
  let bytes = 0;
  for (const path of (await yamlFiles(root, '', 0)).sort()) {
    const text = await readText(root, path);
    bytes += text.length;
    texts.set(path, text);
    if (texts.size > MAX_FILES || bytes > MAX_BYTES) {
      throw new AppError(
        'TooLarge',
        `release: ${root}: it has more than ${MAX_FILES} YAML files or ${MAX_BYTES / 1024 / 1024} MiB; name the root of the repository with --tree`,
      );
    }
  }
  return readReleaseRepository(texts);
}

async function yamlFiles(root: string, folder: string, depth: number): Promise<string[]> {
  if (depth > MAX_DEPTH) return [];
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((cause: unknown) => {
    throw new AppError(
      'InvalidInput',
      `release: ${join(root, folder)}: the folder cannot be read (${textAt(cause, 'code') ?? 'unknown'})`,
      { cause },
    );
  });
  const found: string[] = [];
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) found.push(...(await yamlFiles(root, path, depth + 1)));
    // Only what lies in a folder of a folder can belong to a release or a target.
    else if (entry.isFile() && depth > 1 && /\.ya?ml$/.test(entry.name)) found.push(path);
  }
  return found;
}

async function readText(root: string, path: string): Promise<string> {
  const place = join(root, path);
  const { size } = await lstat(place);
  if (size > MAX_FILE_BYTES)
    throw new AppError('TooLarge', `release: ${path}: the file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
  // A link that took the place of the file meanwhile is not followed.
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return decodeText(await file.readFile());
  } catch (cause) {
    throw isAppError(cause, 'InvalidInput') ? new AppError('InvalidInput', `release: ${path}: ${cause.message}`, { cause }) : cause;
  } finally {
    await file.close();
  }
}
