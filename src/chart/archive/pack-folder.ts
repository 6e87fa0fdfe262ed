import { createReadStream } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PassThrough } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Pack } from 'tar-stream';
import { AppError } from '../../domain/core/errors.ts';
import { parseHelmIgnore } from './helm-ignore.ts';
import type { IgnoreRule } from './helm-ignore.ts';
import { sizeOf } from '../limits.ts';
import type { ChartLimits } from '../limits.ts';

/**
 * Packs a chart's folder as a stream of gzip bytes. The same files give the same bytes, whenever and wherever they are packed: sorted, without
 * owners, times or modes, and without what .helmignore leaves out. Links are not followed.
 *
 * @param name the folder inside the archive.
 * @throws AppError `ChartTooLarge` or `ChartInvalid`, as a clause without the address; while the stream is read, too.
 */
export async function packFolder(folder: string, name: string, limits: ChartLimits): Promise<AsyncIterable<Buffer>> {
  const ignores = parseHelmIgnore(await readFile(join(folder, '.helmignore'), 'utf8').catch(() => ''));
  const files: PackedFile[] = [];
  await collect(folder, '', { ignores, limits, files });
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (files.reduce((sum, file) => sum + file.size, 0) > limits.unpackedBytes) {
    throw new AppError('ChartTooLarge', `the folder holds more than ${sizeOf(limits.unpackedBytes)}`);
  }
  const archive = pack();
  const gzip = createGzip({ level: 9 });
  const out = new PassThrough();
  pipeline(archive, gzip, out).catch((error: unknown) => out.destroy(error as Error));
  writeAll(archive, { folder, name, files }).catch((error: unknown) => archive.destroy(error as Error));
  return out;
}

interface PackedFile {
  readonly path: string;
  readonly size: number;
}

interface Collecting {
  readonly ignores: IgnoreRule;
  readonly limits: ChartLimits;
  readonly files: PackedFile[];
}

async function collect(folder: string, below: string, collecting: Collecting): Promise<void> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (collecting.ignores(path, entry.isDirectory() ? 'folder' : 'file')) continue;
    if (entry.isSymbolicLink())
      throw new AppError('ChartInvalid', `the folder holds a link, ${JSON.stringify(path)}; put the file itself there`);
    if (entry.isDirectory()) await collect(folder, path, collecting);
    else if (entry.isFile()) collecting.files.push({ path, size: (await stat(join(folder, path))).size });
    if (collecting.files.length > collecting.limits.entries) {
      throw new AppError('ChartTooLarge', `the folder holds more than ${collecting.limits.entries} files`);
    }
  }
}

interface Packing {
  readonly folder: string;
  readonly name: string;
  readonly files: readonly PackedFile[];
}

async function writeAll(archive: Pack, { folder, name, files }: Packing): Promise<void> {
  for (const { path, size } of files) {
    const header = { name: `${name}/${path}`, size, mode: 0o644, mtime: new Date(0) };
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(join(folder, path), { end: Math.max(0, size - 1) })) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks).subarray(0, size);
    archive.entry({ ...header, size: content.length }, content);
  }
  archive.finalize();
}
