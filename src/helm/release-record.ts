import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { stringify } from 'yaml';
import { filesOutsideRecord } from '../domain/chart/chart-files.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { yieldToEventLoop } from '../domain/core/yield-to-event-loop.ts';
import { isObject } from '../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../domain/kubernetes/resource.ts';

export interface RecordInput {
  /** Chart.yaml. */
  readonly metadata: object;
  /** values.yaml. */
  readonly values: JsonObject;
  /** The values that it is installed with; default: none. */
  readonly config?: JsonObject;
  /** All files of the chart, named from the chart's own folder on. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** What the chart renders, without its CustomResourceDefinitions. */
  readonly objects: readonly KubeObject[];
}

/** Files that Helm keeps in members of their own, or not at all: subcharts leave no trace in the record but what they render. */
const ELSEWHERE = /^(Chart\.yaml|Chart\.lock|values\.yaml|values\.schema\.json|requirements\.(yaml|lock)|\.helmignore|charts\/.*)$/;
const TIME = '2026-01-01T00:00:00.000000000Z';

/**
 * How many bytes Helm's record of a first release takes in its Secret: the release as JSON, compressed by gzip, in base64. What the api-server
 * holds against its limit is this, not the second base64 of the wire. An estimate: times, order and comments differ by some bytes. Compresses piece by
 * piece, so that others are served meanwhile.
 */
export async function releaseRecordBytes(input: RecordInput): Promise<number> {
  let packed = 0;
  await pipeline(Readable.from(inTurns(piecesOf(input))), createGzip({ level: 9 }), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) packed += chunk.length;
  });
  return Math.ceil(packed / 3) * 4;
}

/** gzip takes many small pieces at once: between two of them others are served. */
async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece;
    await yieldToEventLoop();
  }
}

function* piecesOf({ metadata, values, config = {}, files, objects }: RecordInput): Generator<string> {
  const outside = new Set(filesOutsideRecord(files));
  const stored = function* (test: (name: string) => boolean): Generator<string> {
    let separator = '';
    for (const [name, data] of files) {
      if (outside.has(name) || !test(name)) continue;
      yield `${separator}${JSON.stringify({ name, modtime: TIME, data: data.toString('base64') })}`;
      separator = ',';
    }
  };
  const isTemplate = (name: string): boolean => name.startsWith('templates/');
  const info = { first_deployed: TIME, last_deployed: TIME, deleted: '', description: 'Install complete', status: 'deployed' };
  yield `{"name":"release","info":${JSON.stringify(info)},"chart":{"metadata":${stringifyJson(metadata)},"lock":null,"templates":[`;
  yield* stored(isTemplate);
  yield `],"values":${stringifyJson(values)},"schema":${JSON.stringify(files.get('values.schema.json')?.toString('base64') ?? null)},"files":[`;
  yield* stored((name) => !isTemplate(name) && !ELSEWHERE.test(name));
  yield `]},"config":${stringifyJson(config)},"manifest":"`;
  for (const object of objects) {
    yield JSON.stringify('---\n# Source: chart/templates/object.yaml\n').slice(1, -1);
    for (const text of yamlOf(object)) yield JSON.stringify(text).slice(1, -1);
  }
  yield '","version":1,"namespace":"default"}';
}

/** Values that become YAML at once: more would keep others waiting. */
const PIECE = 500;

type Members = readonly (readonly [key: string | undefined, value: unknown])[];

/** The YAML of a value in pieces: of what is large some members at a time, and what is large among them by itself. */
function* yamlOf(value: unknown, indent = ''): Generator<string> {
  const members = membersOf(value);
  if (members.length === 0 || sizeOf(value) <= PIECE) {
    yield indented(stringify(value, { lineWidth: 0 }), indent);
    return;
  }
  let first = 0;
  let size = 0;
  for (const [index, [key, member]] of members.entries()) {
    const own = sizeOf(member);
    if (size + own >= PIECE && first < index) {
      yield* yamlOf(together(members.slice(first, index)), indent);
      [first, size] = [index, 0];
    }
    size += own;
    if (own < PIECE) continue;
    yield `${indent}${key === undefined ? '-' : `${stringify(key).trimEnd()}:`}\n`;
    yield* yamlOf(member, `${indent}  `);
    [first, size] = [index + 1, 0];
  }
  if (first < members.length) yield* yamlOf(together(members.slice(first)), indent);
}

function membersOf(value: unknown): Members {
  if (Array.isArray(value)) return value.map((item: unknown) => [undefined, item]);
  return isObject(value) ? Object.entries(value) : [];
}

function together(members: Members): unknown {
  return members[0]?.[0] === undefined ? members.map(([, item]) => item) : Object.fromEntries(members as readonly [string, unknown][]);
}

/** The values in a value, itself included; beyond a piece no more are counted. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (large.has(value)) return PIECE + 1;
  const keys = Object.keys(value);
  let size = 1 + keys.length;
  for (const key of size > PIECE ? [] : keys) {
    size += sizeOf((value as Readonly<Record<string, unknown>>)[key]) - 1;
    if (size > PIECE) break;
  }
  if (size > PIECE) large.add(value);
  return Math.min(size, PIECE + 1);
}

/** What has been found to be larger than a piece: to look at the keys of a very large map takes long. */
const large = new WeakSet<object>();

function indented(text: string, indent: string): string {
  return indent === '' ? text : text.replaceAll(/^(?=.)/gm, indent);
}
