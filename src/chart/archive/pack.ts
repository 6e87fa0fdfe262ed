import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { AppError } from '../../domain/core/errors.ts';
import { type ChartLimits, sizeOf } from '../limits.ts';
import { filesOutsideRecord } from '../../domain/chart/chart-files.ts';
import { readArchive } from './archive.ts';

/** Whether a path (relative, with `/`) is left out when a chart's folder is packed. */
type IgnoreRule = (path: string, kind: 'file' | 'folder') => boolean;

interface Rule {
  readonly ignores: boolean;
  readonly matches: IgnoreRule;
}

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

/**
 * Reads a .helmignore: shell globs, one a line; a leading `/` or a `/` inside ties a pattern to the whole path, a trailing `/` means folders
 * only, `!` takes back what an earlier line left out. `**` is not known to Helm and is rejected there; here it matches like `*`.
 */
function parseHelmIgnore(text: string): IgnoreRule {
  const rules = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(ruleOf);
  return (path, kind) => {
    // Helm always leaves out hidden files among the templates.
    if (/^templates\/\.[^/]/.test(path)) return true;
    return rules.reduce((ignored, rule) => (rule.matches(path, kind) ? rule.ignores : ignored), false);
  };
}

function ruleOf(line: string): Rule {
  const ignores = !line.startsWith('!');
  const pattern = ignores ? line : line.slice(1);
  const foldersOnly = pattern.endsWith('/');
  const glob = pattern.replace(/^\//, '').replace(/\/$/, '');
  const isTied = pattern.startsWith('/') || glob.includes('/');
  const expression = expressionOf(glob);
  return {
    ignores,
    matches: (path, kind) => {
      if (foldersOnly && kind !== 'folder') return false;
      return expression.test(isTied ? path : (path.split('/').at(-1) ?? ''));
    },
  };
}

/** A pattern that is no glob, e.g. for its range `[z-a]`, matches itself only. */
function expressionOf(glob: string): RegExp {
  try {
    return new RegExp(`^${[...globParts(glob)].join('')}$`);
  } catch {
    return new RegExp(`^${RegExp.escape(glob)}$`);
  }
}

/** A glob as the parts of a regular expression, none of which can backtrack into another: `*` and `?` stop at a `/`. */
function* globParts(glob: string): Generator<string> {
  const tokens = glob.matchAll(/\*+|\?|\[!?[^\]/]+\]|\\?[^*?[\\]|[\\[]/g);
  for (const [token] of tokens) {
    if (token.startsWith('*')) yield '[^/]*';
    else if (token === '?') yield '[^/]';
    else if (token.startsWith('[') && token.length > 1) yield token.replace('[!', '[^').replaceAll('\\', '\\\\');
    else yield RegExp.escape(token.startsWith('\\') ? token.slice(1) : token);
  }
}

interface ReleasePacking {
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
