import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { filesOutsideRecord } from '../domain/chart/chart-files.ts';
import type { JsonObject, KubeObject } from '../domain/kubernetes/resource.ts';

export interface RecordInput {
  /** Chart.yaml. */
  readonly metadata: object;
  /** values.yaml. */
  readonly values: JsonObject;
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
 * holds against its limit is this, not the second base64 of the wire. An estimate: times, order and comments differ by some bytes.
 */
export function releaseRecordBytes({ metadata, values, files, objects }: RecordInput): number {
  const outside = new Set(filesOutsideRecord(files));
  const stored = (test: (name: string) => boolean): object[] =>
    [...files]
      .filter(([name]) => !outside.has(name) && test(name))
      .map(([name, data]) => ({ name, modtime: TIME, data: data.toString('base64') }));
  const isTemplate = (name: string): boolean => name.startsWith('templates/');
  const schema = files.get('values.schema.json')?.toString('base64') ?? null;
  const release = {
    name: 'release',
    info: { first_deployed: TIME, last_deployed: TIME, deleted: '', description: 'Install complete', status: 'deployed' },
    chart: {
      metadata,
      lock: null,
      templates: stored(isTemplate),
      values,
      schema,
      files: stored((name) => !isTemplate(name) && !ELSEWHERE.test(name)),
    },
    manifest: objects.map((object) => `---\n# Source: chart/templates/object.yaml\n${stringify(object, { lineWidth: 0 })}`).join(''),
    version: 1,
    namespace: 'default',
  };
  const packed = gzipSync(JSON.stringify(release), { level: 9 });
  return Math.ceil(packed.length / 3) * 4;
}
