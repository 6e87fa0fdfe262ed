import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { FileStore } from './file-store.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What a full disk means for the cache, and what to do; any other error is handed on as it is. */
export function storageFault(error: unknown, dir: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!FULL.has(code)) return error;
  const advice = 'free space there, lower --chart-cache-size, or set another folder with --state';
  return new AppError('ChartCacheFull', `chart: the cache in ${dir} is full (${code}); ${advice}`, { cause: error });
}

/** Runs what writes into the cache. Throws AppError `ChartCacheFull` when there is no room on the disk. */
export async function writingTo<T>(dir: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw storageFault(error, dir);
  }
}

/**
 * Brings a file into a store. On a full disk what was used least lately goes, where that makes enough room, and it is brought once more; where it would
 * not, nothing goes. `bring` tells how many bytes it is about to write, as soon as it knows.
 *
 * @throws what `bring` throws.
 */
export async function withRoom<T>(store: FileStore, bring: (needs: (bytes: number) => void) => Promise<T>): Promise<T> {
  let needed: number | undefined;
  const needs = (bytes: number): void => {
    needed = bytes;
  };
  try {
    return await bring(needs);
  } catch (error) {
    if (!isAppError(error, 'ChartCacheFull') || needed === undefined || !(await store.makeRoom(needed))) throw error;
    return await bring(needs);
  }
}
