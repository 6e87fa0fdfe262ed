import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { at, isObject } from '../../domain/core/read.ts';
import { writePrivateFile } from '../cluster/private-file.ts';

/**
 * The object in a JSON file; undefined when there is no file.
 *
 * @throws AppError `ConfigInvalid` that names the file when it holds something else.
 */
export async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const data: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!isObject(data)) throw new TypeError('it holds no object');
    return data;
  } catch (cause) {
    if (at(cause, 'code') === 'ENOENT') return undefined;
    const advice = 'remove it and start again: everybody signs in anew then';
    throw new AppError('ConfigInvalid', `embedded issuer: ${file} cannot be read (${messageOf(cause)}): ${advice}`, { cause });
  }
}

/** Replaces a JSON file that only its owner may read, whole or not at all. */
export async function writeJson(file: string, data: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writePrivateFile(file, JSON.stringify(data));
}
