import { realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { chartError } from '../chart-error.ts';
import type { Place } from './locate.ts';

export interface Found {
  readonly kind: 'file' | 'folder';
  /** Absolute, links resolved. */
  readonly path: string;
}

/**
 * The file or folder at a place. Neither `..`, in any spelling, nor a link leads out of the root.
 *
 * @param address the address asked for, for the error.
 * @throws AppError `ChartNotFound`.
 */
export async function findInFolder(place: Extract<Place, { kind: 'folder' }>, address: string): Promise<Found> {
  const root = await realpath(place.root).catch(() => undefined);
  if (root === undefined)
    throw chartError('ChartNotFound', address, `the folder behind ${place.via} does not exist; check the configured mirrors and roots`);
  const wanted = decoded(place.path);
  const path = wanted === undefined ? undefined : resolve(root, `.${sep}${wanted.replace(/^\/+/, '')}`);
  const real = path !== undefined && isInside(root, path) ? await realpath(path).catch(() => undefined) : undefined;
  const found = real !== undefined && isInside(root, real) ? await stat(real) : undefined;
  if (real !== undefined && found?.isFile() === true) return { kind: 'file', path: real };
  if (real !== undefined && found?.isDirectory() === true) return { kind: 'folder', path: real };
  throw chartError(
    'ChartNotFound',
    address,
    `the folder behind ${place.via} holds no such file; put the chart there, or correct the address`,
  );
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function decoded(path: string): string | undefined {
  try {
    const text = decodeURIComponent(path);
    return text.includes('\0') || text.includes('\\') ? undefined : text;
  } catch {
    return undefined;
  }
}
