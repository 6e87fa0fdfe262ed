import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { comparableVersion } from '../../domain/chart/comparable-version.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { nearNames } from './near-names.ts';
import { newestFirst, normalDigest, type OfferedVersion } from './repository.ts';

/*
 * A parsed index on disk, made so that one chart is found without reading the others:
 *
 *   the charts, each as JSON; then their names as a JSON list, in the table as a chart without a name
 *   a table, sorted: for each chart the SHA-256 of its name, the SHA-256 of its JSON, where that begins and its length (80 bytes)
 *   the last 64 bytes: a mark, where the table begins, its rows, the charts left out, and the SHA-256 of the table and these numbers
 */
const MARK = Buffer.from('chindex2');
const ROW_BYTES = 80;
const END_BYTES = 64;
/** More JSON of one chart than this would keep the event loop busy; the oldest versions are left out. */
const CHART_BYTES = 4 * 1024 * 1024;
const NAME_CHARACTERS = 250;
const CHARTS = 100_000;
/** So many names are looked through for one that is like another. */
const MAX_NAMES = 20_000;
const NO_NAME = '';

/** What is in a parsed index, apart from the charts themselves. */
export interface IndexCounts {
  readonly charts: number;
  readonly versions: number;
  /** Versions and charts that were left out. */
  readonly skipped: number;
}

/** Where the charts of an index go, one after the other. A name that comes again takes the place of the earlier one. */
export interface IndexSink {
  chart(name: string, chart: ListedChart): void;
  /** Forgets what came so far. */
  restart(): void;
}

export interface ListedChart {
  /** In the order of the index. */
  readonly versions: readonly ListedVersion[];
  /** How many entries were left out, because they cannot be read or have no version or address. */
  readonly skipped: number;
}

/** Writes a parsed index. It blocks its thread: use it in one of its own. */
export class IndexWriter implements IndexSink {
  readonly #file: number;
  #at = 0;
  #skippedCharts = 0;
  /** Names of the charts, for suggestions where a chart is not found. */
  readonly #names = new Set<string>();
  readonly #rows = new Map<string, { readonly row: Buffer; readonly versions: number; readonly skipped: number }>();

  constructor(path: string) {
    this.#file = openSync(path, 'wx', 0o600);
  }

  chart(name: string, { versions, skipped }: ListedChart): void {
    if (name === '' || name.length > NAME_CHARACTERS || this.#rows.size >= CHARTS) {
      this.#skippedCharts += 1;
      return;
    }
    const kept = fitting(newestFirst(versions).map((version) => stringifyJson(version)));
    const left = skipped + versions.length - kept.length;
    this.#names.add(name);
    this.#add(name, `{"skipped":${left},"versions":[${kept.join(',')}]}`, { versions: kept.length, skipped: left });
  }

  #add(name: string, text: string, counts: { readonly versions: number; readonly skipped: number }): void {
    const [json, key] = [Buffer.from(text), sha256(name)];
    const place = Buffer.alloc(16);
    place.writeBigUInt64BE(BigInt(this.#at), 0);
    place.writeBigUInt64BE(BigInt(json.length), 8);
    this.#rows.set(key.toString('hex'), { row: Buffer.concat([key, sha256(json), place]), ...counts });
    this.#write(json);
  }

  restart(): void {
    this.#rows.clear();
    this.#names.clear();
    this.#skippedCharts = 0;
  }

  /** @param leftOut charts that never came here. */
  end(leftOut: number): IndexCounts {
    this.#add(NO_NAME, stringifyJson([...this.#names].slice(0, MAX_NAMES)), { versions: 0, skipped: 0 });
    const rows = [...this.#rows.values()];
    const table = Buffer.concat(rows.map(({ row }) => row).sort((a, b) => a.compare(b)));
    const numbers = Buffer.alloc(24);
    numbers.set(MARK);
    numbers.writeBigUInt64BE(BigInt(this.#at), 8);
    numbers.writeUInt32BE(rows.length, 16);
    numbers.writeUInt32BE(leftOut + this.#skippedCharts, 20);
    this.#write(table);
    this.#write(Buffer.concat([numbers, Buffer.alloc(8), sha256(table, numbers)]));
    closeSync(this.#file);
    const sum = (count: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + count(row), 0);
    return {
      charts: rows.length - 1,
      versions: sum((row) => row.versions),
      skipped: sum((row) => row.skipped) + leftOut + this.#skippedCharts,
    };
  }

  #write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length;) done += writeSync(this.#file, bytes, done);
    this.#at += bytes.length;
  }
}

/** What a parsed index says of a chart. */
export interface FoundChart {
  /** Newest first; undefined when the index has no such chart. */
  readonly listed: ListedChart | undefined;
  /** Names of charts of the index that are like that of one that it does not have. */
  readonly near: readonly string[];
  /** Charts of the index that cannot be read. */
  readonly unreadable: number;
}

/** Looks a chart up; undefined when the file is gone, broken off or damaged. */
export async function findInIndex(path: string, name: string): Promise<FoundChart | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return await findChart(file, name);
  } finally {
    await file.close();
  }
}

async function findChart(file: FileHandle, name: string): Promise<FoundChart | undefined> {
  const { size } = await file.stat();
  const end = await readAt(file, size - END_BYTES, END_BYTES);
  if (end === undefined || !end.subarray(0, MARK.length).equals(MARK)) return undefined;
  const start = Number(end.readBigUInt64BE(8));
  const rows = end.readUInt32BE(16);
  if (rows > CHARTS + 1 || start + rows * ROW_BYTES + END_BYTES !== size) return undefined;
  const table = await readAt(file, start, rows * ROW_BYTES);
  if (table === undefined || !sha256(table, end.subarray(0, 24)).equals(end.subarray(32))) return undefined;
  const unreadable = end.readUInt32BE(20);
  const row = rowOf(table, sha256(name));
  const names = row === undefined ? rowOf(table, sha256(NO_NAME)) : undefined;
  const json = await jsonOf(file, row ?? names);
  if (json === undefined) return undefined;
  return row === undefined
    ? { listed: undefined, near: nearNames(name, json as readonly string[]), unreadable }
    : { listed: json as ListedChart, near: [], unreadable };
}

/** Undefined for what is damaged. */
async function jsonOf(file: FileHandle, row: Buffer | undefined): Promise<unknown> {
  if (row === undefined) return undefined;
  const json = await readAt(file, Number(row.readBigUInt64BE(64)), Number(row.readBigUInt64BE(72)));
  return json === undefined || !sha256(json).equals(row.subarray(32, 64)) ? undefined : (JSON.parse(json.toString('utf8')) as unknown);
}

/** By halving. */
function rowOf(table: Buffer, key: Buffer): Buffer | undefined {
  let [from, to] = [0, table.length / ROW_BYTES];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const row = table.subarray(middle * ROW_BYTES, (middle + 1) * ROW_BYTES);
    const order = row.subarray(0, key.length).compare(key);
    if (order === 0) return row;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return undefined;
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer | undefined> {
  if (at < 0 || length < 0) return undefined;
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  return bytesRead === length ? buffer : undefined;
}

function fitting(versions: readonly string[]): readonly string[] {
  let bytes = 0;
  const end = versions.findIndex((json) => (bytes += Buffer.byteLength(json) + 1) > CHART_BYTES);
  return end < 0 ? versions : versions.slice(0, end);
}

function sha256(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** What we keep of a version in the index of a repository. All of it is foreign. */
export interface ListedVersion extends OfferedVersion {
  readonly appVersion?: string;
  /** As it is written; mostly RFC 3339. */
  readonly created?: string;
  /** At most 500 characters. */
  readonly description?: string;
  readonly deprecated?: true;
}

/** The keys of an entry that `listedVersion` reads. */
export const LISTED_KEYS: ReadonlySet<string> = new Set([
  'version',
  'urls',
  'digest',
  'appVersion',
  'created',
  'description',
  'deprecated',
]);

const VERSION_CHARACTERS = 256;
const ADDRESS_CHARACTERS = 4096;
const DESCRIPTION_CHARACTERS = 500;

/** One entry of a chart; undefined when it has no version that Helm takes, or no address. */
export function listedVersion(entry: Json | undefined): ListedVersion | undefined {
  if (!isMap(entry)) return undefined;
  const { urls, digest, deprecated } = entry;
  const { version = '' } = shortText(entry, 'version', VERSION_CHARACTERS + 1);
  const [address] = Array.isArray(urls) ? (urls as readonly Json[]) : [];
  if (version.length > VERSION_CHARACTERS || comparableVersion(version) === undefined) return undefined;
  if (typeof address !== 'string' || address === '' || address.length > ADDRESS_CHARACTERS) return undefined;
  const isDigest = typeof digest === 'string' && /^(sha256:)?[0-9a-f]{64}$/i.test(digest);
  return {
    version,
    address,
    ...(isDigest ? { digest: normalDigest(digest) } : {}),
    ...shortText(entry, 'appVersion', VERSION_CHARACTERS),
    ...shortText(entry, 'created', VERSION_CHARACTERS),
    ...shortText(entry, 'description', DESCRIPTION_CHARACTERS),
    ...(deprecated === true ? { deprecated } : {}),
  };
}

/** Versions that look like numbers are written without quotes all over the world. */
function shortText<K extends string>(entry: JsonObject, key: K, characters: number): { [P in K]?: string } {
  const value = entry[key];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return {};
  return { [key]: String(value).slice(0, characters) } as { [P in K]?: string };
}

function isMap(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
