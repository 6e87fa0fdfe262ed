import { AppError } from '../domain/errors.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What a full disk means for the cache, and what to do; any other error is handed on as it is. */
export function storageFault(error: unknown, dir: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!FULL.has(code)) return error;
  const advice = 'free space there, let it take less with --chart-cache-size, or name another folder with --state';
  return new AppError('ChartCacheFull', `chart: the cache in ${dir} has no room left on its disk (${code}); ${advice}`, { cause: error });
}

/** Runs what writes into the cache. Throws AppError `ChartCacheFull` when there is no room on the disk. */
export async function writingTo<T>(dir: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw storageFault(error, dir);
  }
}
