import { createHash } from 'node:crypto';
import { AppError } from '../core/errors.ts';
import { at, numberAt, textAt } from '../core/read.ts';
import { integer, object, optional, text, type ValueOf } from '../kind/field.ts';
import { AGE_COLUMN, specOf, type StaticKind } from '../kind/kind.ts';
import { type Cluster, ifFound } from '../kubernetes/cluster.ts';
import { isDnsSubdomain, OURS } from '../kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../kubernetes/resource.ts';
import { CHART_ARCHIVE } from '../kubernetes/resource-types.ts';
import { isSame } from '../chart/chart-version.ts';

/** Bytes of an archive. In base64, that is what one object of the cluster can hold; Helm's record of a release holds no more. */
export const MAX_ARCHIVE_BYTES = 1024 * 1024;
const MAX_ENCODED = Math.ceil(MAX_ARCHIVE_BYTES / 3) * 4;

const spec = object(
  {
    name: text({ description: 'The name of the chart.', minLength: 1, maxLength: 250 }),
    version: text({ description: 'The version of the chart.', minLength: 1, maxLength: 128 }),
    appVersion: optional(text({ description: 'The version of what the chart installs.', maxLength: 128 })),
    digest: text({ description: 'The SHA-256 digest of the archive.', maxLength: 71, pattern: '^sha256:[0-9a-f]{64}$' }),
    size: integer({ description: 'Bytes of the archive.', minimum: 1, maximum: MAX_ARCHIVE_BYTES }),
    archive: text({ description: 'The archive (.tgz) in base64.', maxLength: MAX_ENCODED, pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
  },
  {
    description: 'The chart and its archive. Immutable: another archive is another version.',
    rules: [{ rule: 'self == oldSelf', message: 'an uploaded chart is immutable; upload another version' }],
  },
);

export const CHART_ARCHIVE_KIND: StaticKind<ValueOf<typeof spec>> = {
  type: CHART_ARCHIVE,
  shortNames: ['charch'],
  description:
    'A ChartArchive is a Helm chart that somebody uploaded. AppDefinitions and Operators refer to it by file://uploaded/NAME.tgz, or to all versions of the chart by the repository file://uploaded.',
  columns: [
    { name: 'Chart', type: 'string', jsonPath: '.spec.name' },
    { name: 'Version', type: 'string', jsonPath: '.spec.version' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    AGE_COLUMN,
  ],
  spec,
};

/** The repository of uploaded charts, for `spec.chart.repoURL`. */
export const UPLOADED_CHARTS = 'file://uploaded';
/** Its host, which no root has as its name. */
export const UPLOADED_ROOT = 'uploaded';
/** With what it says of itself, so that a list needs no archives. Only for lists: what is fetched is checked. */
const SUMMARY = `${OURS.group}/chart-archive`;

/** An uploaded chart without its archive. */
export interface UploadedChart {
  /** Of the ChartArchive. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly appVersion?: string;
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** RFC 3339; empty when unknown. */
  readonly created: string;
  /** For `spec.chartURL`. */
  readonly address: string;
}

/** The address of the archive of an uploaded chart. */
function uploadAddress(id: string): string {
  return `${UPLOADED_CHARTS}/${id}.tgz`;
}

/** Whether an address is that of the repository of uploaded charts. */
export function isUploadedCharts(repoURL: string): boolean {
  const url = URL.parse(repoURL);
  return url?.protocol === 'file:' && url.hostname === UPLOADED_ROOT && (url.pathname === '' || url.pathname === '/');
}

/** The uploaded chart that an address names; undefined for any other address. */
export function uploadedId(address: string): string | undefined {
  const [, id = ''] = /^file:\/\/uploaded\/([a-z0-9.-]{1,253})\.tgz$/.exec(address) ?? [];
  return isDnsSubdomain(id) ? id : undefined;
}

/** KubePlus copies archives into its own pod, where they are `file:///NAME-VERSION.tgz`. */
export function uploadOfKubePlus(address: string): string {
  const [, file] = /^file:\/\/\/([^/]+)\.tgz$/.exec(address) ?? [];
  return file === undefined ? address : uploadAddress(objectName(file));
}

interface NewArchive {
  readonly bytes: Uint8Array;
  /** `sha256:<hex>` of the bytes. */
  readonly digest: string;
  readonly name: string;
  readonly version: string;
  readonly appVersion?: string;
}

/** @throws AppError `InvalidInput` for a name and version that no object can have. */
export function chartArchive({ bytes, digest, name, version, appVersion }: NewArchive): KubeObject {
  const id = uploadName(name, version);
  if (!isDnsSubdomain(id)) throw new AppError('InvalidInput', `chart ${name} ${version}: no object of the cluster can have this name`);
  const summary = { name, version, ...(appVersion === undefined ? {} : { appVersion }), digest, size: bytes.length };
  return {
    apiVersion: apiVersionOf(CHART_ARCHIVE),
    kind: CHART_ARCHIVE.kind,
    metadata: { name: id, annotations: { [SUMMARY]: JSON.stringify(summary) } },
    spec: { ...summary, archive: Buffer.from(bytes).toString('base64') },
  };
}

/** The name of the ChartArchive of a chart. */
export function uploadName(name: string, version: string): string {
  return objectName(`${name}-${version}`);
}

/** `Web_App-1.0.0+build` → `web-app-1.0.0-build`. */
function objectName(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
}

/** The uploaded charts of a cluster, without their archives. Throws as the cluster does. */
export async function listUploads(cluster: Pick<Cluster, 'get' | 'listMetadata'>, signal?: AbortSignal): Promise<UploadedChart[]> {
  const { items } = await cluster.listMetadata(CHART_ARCHIVE, signal && { signal });
  const charts: UploadedChart[] = [];
  for (const item of items) charts.push(await readUpload(cluster, item, signal));
  return charts;
}

/** The view of a ChartArchive of which the metadata is known. One that somebody applied with kubectl does not say there what it is, so it is read in full. */
export async function readUpload(cluster: Pick<Cluster, 'get'>, object: KubeObject, signal?: AbortSignal): Promise<UploadedChart> {
  if (object.metadata.annotations?.[SUMMARY] !== undefined) return uploadedChart(object);
  const { name } = object.metadata;
  return uploadedChart((await ifFound(cluster.get({ ...CHART_ARCHIVE, name }, signal && { signal }))) ?? object);
}

/** The view of a ChartArchive, of which the metadata will do where `chartArchive` made it. */
export function uploadedChart({ metadata, spec: given }: KubeObject): UploadedChart {
  const summary = summaryOf(metadata.annotations?.[SUMMARY]) ?? given;
  const appVersion = textAt(summary, 'appVersion');
  return {
    id: metadata.name,
    name: textAt(summary, 'name') ?? metadata.name,
    version: textAt(summary, 'version') ?? '',
    ...(appVersion === undefined ? {} : { appVersion }),
    digest: textAt(summary, 'digest') ?? '',
    size: numberAt(summary, 'size') ?? 0,
    created: metadata.creationTimestamp ?? '',
    address: uploadAddress(metadata.name),
  };
}

function summaryOf(text = ''): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The archive of a ChartArchive.
 *
 * @throws AppError `ChartInvalid` when it is not the one of its digest.
 */
export function archiveOf(object: KubeObject): Uint8Array {
  const { archive, digest } = specOf(CHART_ARCHIVE_KIND, object);
  const bytes = Buffer.from(archive, 'base64');
  const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (found === digest) return bytes;
  throw new AppError(
    'ChartInvalid',
    `chart: ${uploadAddress(object.metadata.name)}: its digest is ${found}, but ${digest} is expected; upload it again`,
  );
}

/** Whether an Operator or AppDefinition has an uploaded chart, by its address or of the repository. */
export function isFromUpload({ spec: given }: KubeObject): boolean {
  const address = textAt(given, 'chartURL');
  return address === undefined ? isUploadedCharts(textAt(given, 'chart', 'repoURL') ?? '') : uploadedId(address) !== undefined;
}

/** Whether an Operator, AppDefinition or AppRevision uses an uploaded chart: by its address, or in the version that it names or follows its range to. */
export function usesUpload({ address, name, version }: UploadedChart, { spec: given, status }: KubeObject): boolean {
  const source = at(given, 'source') ?? given;
  if (textAt(source, 'chartURL') === address) return true;
  const chart = at(source, 'chart');
  if (!isUploadedCharts(textAt(chart, 'repoURL') ?? '') || textAt(chart, 'name') !== name) return false;
  return [textAt(chart, 'version'), textAt(status, 'chart', 'version')].some((used) => used !== undefined && isSame(used, version));
}
