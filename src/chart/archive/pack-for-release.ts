import { pipeline } from 'node:stream/promises';
import { createWriteStream } from 'node:fs';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { filesOutsideRecord } from '../../domain/chart/chart-files.ts';
import { readArchive } from './archive.ts';
import type { ChartLimits } from '../limits.ts';

export interface ReleasePacking {
  /** The packed chart. */
  readonly from: string;
  /** Where the copy goes. */
  readonly to: string;
  readonly limits: ChartLimits;
  readonly signal: AbortSignal;
}

/**
 * Writes a copy of a packed chart without what need not go into Helm's record of a release (see `filesOutsideRecord`).
 *
 * @returns `Same` when there is nothing to leave out, and no copy.
 */
export async function packForRelease({ from, to, limits, signal }: ReleasePacking): Promise<'Written' | 'Same'> {
  const { contents } = await readArchive(from, { limits, wants: () => true, signal });
  const left = new Set(filesOutsideRecord(contents));
  if (left.size === 0) return 'Same';
  const archive = pack();
  const written = pipeline(archive, createGzip({ level: 1 }), createWriteStream(to, { mode: 0o600, flags: 'wx' }), { signal });
  for (const [name, content] of contents) {
    if (!left.has(name)) archive.entry({ name: `chart/${name}`, mode: 0o644, mtime: new Date(0) }, content);
  }
  archive.finalize();
  await written;
  return 'Written';
}
