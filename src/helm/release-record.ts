import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { stringify } from 'yaml';
import { filesOutsideRecord } from '../domain/chart/chart-files.ts';
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
  const gzip = createGzip({ level: 9 });
  gzip.on('data', (chunk: Buffer) => (packed += chunk.length));
  await pipeline(Readable.from(piecesOf(input)), gzip);
  return Math.ceil(packed / 3) * 4;
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
  yield `{"name":"release","info":${JSON.stringify(info)},"chart":{"metadata":${JSON.stringify(metadata)},"lock":null,"templates":[`;
  yield* stored(isTemplate);
  yield `],"values":${JSON.stringify(values)},"schema":${JSON.stringify(files.get('values.schema.json')?.toString('base64') ?? null)},"files":[`;
  yield* stored((name) => !isTemplate(name) && !ELSEWHERE.test(name));
  yield `]},"config":${JSON.stringify(config)},"manifest":"`;
  for (const object of objects) {
    const text = `---\n# Source: chart/templates/object.yaml\n${stringify(object, { lineWidth: 0 })}`;
    yield JSON.stringify(text).slice(1, -1);
  }
  yield '","version":1,"namespace":"default"}';
}
