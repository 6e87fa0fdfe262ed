import { isAppError } from '../domain/errors.ts';
import type { FileStore } from './file-store.ts';

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
