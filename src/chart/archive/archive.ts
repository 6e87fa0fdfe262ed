import { createReadStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { Header } from 'tar-stream';
import { AppError } from '../../domain/core/errors.ts';
import { type ChartLimits, sizeOf } from '../limits.ts';

/** The files of a chart archive, named from the chart's own folder on. */
export interface ChartFiles {
  /** Sorted. */
  readonly names: readonly string[];
  /** The content of the files that were asked for; those of packed subcharts are named like `charts/redis.tgz/Chart.yaml`. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

export interface ArchiveRequest {
  readonly limits: ChartLimits;
  readonly wants: (name: string) => boolean;
  /** Whether files of packed subcharts can be wanted, too; by default they are only held to the limits. */
  readonly packedSubcharts?: 'Read' | 'Check';
  /** A chart is one folder; other archives are read as they are, and a leading `./` is no part of a name. */
  readonly layout?: 'Chart' | 'Files';
  readonly signal: AbortSignal;
}

const MAX_NESTING = 3;
const NESTED_CHART = /^(charts\/[^/]+\/)*charts\/[^/]+\.tgz$/;

/**
 * Reads a chart archive as a stream and within limits, packed subcharts included: nothing is written to disk, and an archive that unpacks to too much
 * is given up as soon as it does. Everything that Helm could read in two ways is rejected.
 *
 * @throws AppError `ChartInvalid` or `ChartTooLarge`, as a clause without the address: the caller adds it.
 */
export async function readArchive(path: string, request: ArchiveRequest): Promise<ChartFiles> {
  const budget = { bytes: request.limits.unpackedBytes, entries: request.limits.entries };
  return unpack(createReadStream(path), { ...request, budget, nesting: 0 });
}

interface Unpacking extends ArchiveRequest {
  readonly budget: Budget;
  readonly nesting: number;
}

/** What is left; shared by an archive and those inside it. */
interface Budget {
  bytes: number;
  entries: number;
}

async function unpack(packed: Readable, unpacking: Unpacking): Promise<ChartFiles> {
  const entries = extract();
  const reading = pipeline(packed, createGunzip(), meter(unpacking), entries, { signal: unpacking.signal });
  // The loop below meets the same error; this keeps it from counting as unhandled meanwhile.
  reading.catch(() => undefined);
  const files = new Map<string, Buffer | undefined>();
  const inner = new Map<string, Buffer>();
  const tops = new Set<string>();
  try {
    for await (const entry of entries) {
      const name = acceptedName(entry.header, { tops, files, unpacking });
      const content = name === undefined ? undefined : await readEntry(entry, { name, inner }, unpacking);
      if (name === undefined) entry.resume();
      else files.set(name, content);
    }
    await reading;
  } catch (error) {
    unpacking.signal.throwIfAborted();
    throw archiveFault(error);
  } finally {
    entries.destroy();
    packed.destroy();
  }
  const contents = new Map([...files].filter((file): file is [string, Buffer] => file[1] !== undefined));
  for (const [name, content] of inner) {
    if (files.has(name)) throw invalid(`it holds both a packed chart and a folder for the file ${JSON.stringify(name.slice(0, 200))}`);
    contents.set(name, content);
  }
  return { names: [...files.keys()].sort(), contents };
}

function meter({ budget, limits }: Unpacking): Transform {
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      budget.bytes -= chunk.length;
      if (budget.bytes < 0) done(tooLarge(`it unpacks to more than ${sizeOf(limits.unpackedBytes)}`));
      else done(null, chunk);
    },
  });
}

interface Accepting {
  readonly tops: Set<string>;
  readonly files: ReadonlyMap<string, unknown>;
  readonly unpacking: Unpacking;
}

/** The name below the chart's folder; undefined for a folder. */
function acceptedName(header: Header, { tops, files, unpacking }: Accepting): string | undefined {
  const { budget, limits, layout = 'Chart' } = unpacking;
  budget.entries -= 1;
  if (budget.entries < 0) throw tooLarge(`it has more than ${limits.entries} entries`);
  const { type } = header;
  const name = layout === 'Files' ? header.name.replace(/^\.\//, '') : header.name;
  const shown = JSON.stringify(name.slice(0, 200));
  if (type !== 'file' && type !== 'contiguous-file' && type !== 'directory')
    throw invalid(`it holds a ${type} ${shown}; only files are allowed`);
  if (layout === 'Files' && type === 'directory' && ['', '.'].includes(name)) return undefined;
  const parts = name.replace(/\/$/, '').split('/');
  if (/[\0\\]/.test(name) || /^[a-zA-Z]:/.test(name) || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw invalid(`the name ${shown} leads, or could lead, out of the archive`);
  }
  if (type === 'directory') return undefined;
  const place = (layout === 'Files' ? parts : partsInChart(parts, shown, tops)).join('/');
  if (files.has(place)) throw invalid(`it holds the file ${shown} twice`);
  if (header.size > limits.fileBytes) throw tooLarge(`the file ${shown} is larger than ${sizeOf(limits.fileBytes)}`);
  return place;
}

function partsInChart([top = '', ...rest]: readonly string[], shown: string, tops: Set<string>): readonly string[] {
  if (rest.length === 0) throw invalid(`the file ${shown} is not in the chart's folder; pack it with "helm package"`);
  if (tops.add(top).size > 1) throw invalid(`it holds several folders: ${[...tops].sort().join(', ')}; a chart is one folder`);
  return rest;
}

/** The part of a tar entry that is read; an entry that is not read must be resumed. */
interface Entry extends AsyncIterable<unknown> {
  resume(): unknown;
}

interface Named {
  readonly name: string;
  /** What is read of packed subcharts. */
  readonly inner: Map<string, Buffer>;
}

async function readEntry(entry: Entry, { name, inner }: Named, unpacking: Unpacking): Promise<Buffer | undefined> {
  const isNested = unpacking.layout !== 'Files' && NESTED_CHART.test(name);
  if (!isNested && !unpacking.wants(name)) {
    entry.resume();
    return undefined;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer);
  const content = Buffer.concat(chunks);
  if (isNested) for (const [file, text] of await readNested(content, name, unpacking)) inner.set(`${name}/${file}`, text);
  return unpacking.wants(name) ? content : undefined;
}

/** Helm unpacks subcharts too, so they are held to what is left of the same budget. */
async function readNested(content: Buffer, name: string, unpacking: Unpacking): Promise<ReadonlyMap<string, Buffer>> {
  if (unpacking.nesting >= MAX_NESTING) throw invalid(`its subcharts are nested more than ${MAX_NESTING} levels deep`);
  const wants = (file: string): boolean => unpacking.packedSubcharts === 'Read' && unpacking.wants(`${name}/${file}`);
  try {
    const { contents } = await unpack(Readable.from([content]), { ...unpacking, wants, nesting: unpacking.nesting + 1 });
    return contents;
  } catch (error) {
    if (error instanceof AppError) throw new AppError(error.code, `its subchart ${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

function archiveFault(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR' || /unexpected end/i.test(error.message))
    return invalid('the archive breaks off before its end; pack or upload it again', error);
  if (code.startsWith('Z_')) return invalid('the archive is damaged: it cannot be unpacked with gzip', error);
  if (/tar|header|checksum/i.test(error.message))
    return invalid('inside the gzip there is no tar archive; pack the chart with "helm package"', error);
  return error;
}

function invalid(why: string, cause?: unknown): AppError {
  return new AppError('ChartInvalid', why, { cause });
}

function tooLarge(why: string): AppError {
  return new AppError('ChartTooLarge', why);
}
