import { randomBytes } from 'node:crypto';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { parseJson } from '../domain/core/exact-json.ts';
import { listAt, textAt } from '../domain/core/read.ts';
import { currentKey, type SealingKey } from '../domain/core/seal.ts';
import { readIfThere, writePrivately } from './json-file.ts';

/** The sealing keys of an installation, as they are in its key file now. */
export interface KeyFile {
  keys(): readonly SealingKey[];
  close(): void;
}

interface KeyFileInput {
  readonly file: string;
  /** `create` makes the first key where there is no file; otherwise somebody else has to bring it. */
  readonly missing: 'create' | 'fail';
  /** Told of a file that can no longer be read; the keys that were read before serve on. */
  readonly onFault?: (error: unknown) => void;
}

/** How often the file is read again: a Secret that is mounted as a file changes within two minutes. */
const REREAD_MS = 30_000;
/** A new key only opens at first, until every replica has read it. */
const LEAD_MS = 10 * 60_000;
/** No session lasts longer than this after its last renewal. */
const KEPT_MS = 31 * 24 * 3_600_000;

/**
 * Opens the file of the sealing keys, which only its owner may read, and follows its changes.
 *
 * @throws AppError `ConfigInvalid` when it is missing or not understood.
 */
export async function openKeyFile({ file, missing, onFault }: KeyFileInput): Promise<KeyFile> {
  if (missing === 'create' && (await readIfThere(file)) === undefined) await createKeys(file);
  let known = await readKeys(file);
  const reread = async (): Promise<void> => {
    try {
      known = await readKeys(file);
    } catch (error) {
      onFault?.(error);
    }
  };
  const timer = setInterval(() => void reread(), REREAD_MS).unref();
  return { keys: () => known, close: () => clearInterval(timer) };
}

/**
 * Creates a file with one key, which seals at once.
 *
 * @throws AppError `ConfigInvalid` when the file is there: what its keys have sealed could not be opened any more.
 */
export async function createKeys(file: string): Promise<readonly SealingKey[]> {
  if ((await readIfThere(file)) !== undefined) throw new AppError('ConfigInvalid', `keys: ${file} exists already; rotate it instead`);
  const keys = [newKey(0)];
  await writeKeys(file, keys);
  return keys;
}

/**
 * Adds a key, which seals ten minutes from now, and deletes those that nothing can be sealed with any more.
 *
 * @returns the keys in the file now, the newest first.
 * @throws AppError `ConfigInvalid` when the file is missing or not understood.
 */
export async function rotateKeys(file: string, now: number): Promise<readonly SealingKey[]> {
  const before = await readKeys(file);
  const lastUsed = currentKey(before, now - KEPT_MS).usedFrom;
  const kept = before.filter(({ usedFrom }) => usedFrom >= lastUsed);
  const keys = [newKey(now + LEAD_MS), ...kept.toSorted((a, b) => b.usedFrom - a.usedFrom)];
  await writeKeys(file, keys);
  return keys;
}

function newKey(usedFrom: number): SealingKey {
  return { id: randomBytes(4).toString('hex'), bytes: randomBytes(32), usedFrom };
}

async function writeKeys(file: string, keys: readonly SealingKey[]): Promise<void> {
  const written = keys.map(({ id, bytes, usedFrom }) => ({
    id,
    key: Buffer.from(bytes).toString('base64'),
    usedFrom: new Date(usedFrom).toISOString(),
  }));
  await writePrivately(file, `${JSON.stringify({ keys: written }, null, 2)}\n`);
}

async function readKeys(file: string): Promise<readonly SealingKey[]> {
  const advice = 'bring it back from your backup, or delete it for a new one: everybody signs in again then';
  const text = await readIfThere(file);
  if (text === undefined) throw new AppError('ConfigInvalid', `keys: ${file} does not exist; ${advice}`);
  try {
    return parseKeys(parseJson(text));
  } catch (cause) {
    throw new AppError('ConfigInvalid', `keys: ${file} cannot be read (${messageOf(cause)}); ${advice}`, { cause });
  }
}

function parseKeys(data: unknown): readonly SealingKey[] {
  const keys = listAt(data, 'keys').map((entry, index): SealingKey => {
    const bytes = Buffer.from(textAt(entry, 'key') ?? '', 'base64');
    const usedFrom = Date.parse(textAt(entry, 'usedFrom') ?? '');
    const id = textAt(entry, 'id') ?? '';
    if (!/^[\w-]{1,32}$/.test(id) || bytes.length !== 32 || Number.isNaN(usedFrom)) {
      throw new TypeError(`keys[${index}] is not {id, key, usedFrom} with 32 bytes in base64`);
    }
    return { id, bytes, usedFrom };
  });
  if (keys.length === 0) throw new TypeError('it has no list "keys"');
  return keys;
}
