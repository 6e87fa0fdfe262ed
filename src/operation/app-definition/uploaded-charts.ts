import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import {
  chartArchive,
  listUploads,
  MAX_ARCHIVE_BYTES,
  readUpload,
  type UploadedChart,
  uploadedChart,
  usesUpload,
} from '../../domain/app-definition/uploaded-chart.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { checkPreconditions, etagOf, type Preconditions } from '../../domain/kubernetes/etag.ts';
import { isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import { APP_REVISION, CHART_ARCHIVE, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { audited } from '../audit/audited.ts';
import { USER_WRITE } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { runQueued } from '../upgrade/upgrade-ports.ts';

/** An uploaded chart, and what refers to it. */
export interface ListedChart extends UploadedChart {
  /** `AppDefinition web-app`, `Operator chandlery-system/cache`. */
  readonly usedBy: readonly string[];
}

/** The uploaded charts, read as the actor, by name, the newest first; `Forbidden` for whoever is not an admin. */
export async function listUploadedCharts(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor): Promise<readonly ListedChart[]> {
  const uploads = await listUploads(ports.clusters.asActor(actor));
  const charts = uploads.map((chart) => ({ ...chart, usedBy: usersOf(ports, chart) }));
  return charts.sort((a, b) => a.name.localeCompare(b.name) || b.created.localeCompare(a.created) || a.id.localeCompare(b.id));
}

function usersOf({ catalog }: Pick<Ports, 'catalog'>, chart: UploadedChart): readonly string[] {
  const isUser = (object: KubeObject): boolean => usesUpload(chart, object);
  return [...catalog.appDefinitions().filter(isUser), ...catalog.operators().filter(isUser)].map(
    ({ kind, metadata: { namespace, name } }) => `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
  );
}

const PATIENCE_MS = 60_000;

/**
 * Keeps the archive of a chart in the cluster, where every replica finds it. The same archive a second time changes nothing.
 *
 * @throws AppError `Forbidden`, before anything is read of it; `TooLarge`, `ChartInvalid`, `ChartTooLarge`; `AlreadyExists` for another archive of the same version.
 */
export async function uploadChart(
  ports: Pick<Ports, 'clusters' | 'auditLog' | 'upgrades'>,
  actor: Actor,
  { bytes, via, requestId }: RequestOrigin & { readonly bytes: Uint8Array },
): Promise<UploadedChart> {
  const cluster = ports.clusters.asActor(actor);
  const permission = permissionTo('create', CHART_ARCHIVE);
  if (!(await cluster.review(permission)).allowed)
    throw new AppError('Forbidden', 'chart: only admins can upload charts', { missing: permission });
  if (bytes.length > MAX_ARCHIVE_BYTES) {
    const why = `it has ${bytes.length} bytes, and one object of the cluster holds ${MAX_ARCHIVE_BYTES / 1024} KiB; push it to a registry, and refer to it by oci://`;
    throw new AppError('TooLarge', `chart: ${why}`);
  }
  const { digest, contents } = await runQueued(ports.upgrades, { actor, milliseconds: PATIENCE_MS }, async (signal) =>
    ports.upgrades.charts.read(bytes, signal),
  );
  const { name, version, appVersion } = contents.metadata;
  const object = chartArchive({ bytes, digest, name, version, ...(appVersion === undefined ? {} : { appVersion }) });
  const event = { action: 'upload chart', environment: '', target: object.metadata.name, via, requestId };
  return await audited(ports, actor, event, async () => {
    await rejectTooMany(cluster);
    try {
      return uploadedChart((await cluster.create(CHART_ARCHIVE, object, { ...USER_WRITE, answer: 'metadata' })).object);
    } catch (error) {
      if (!isAppError(error, 'AlreadyExists')) throw error;
      const known = uploadedChart(await cluster.get({ ...CHART_ARCHIVE, name: object.metadata.name }, { answer: 'metadata' }));
      if (known.digest === digest) return known;
      throw new AppError('AlreadyExists', `chart ${name} ${version}: another archive of this version was uploaded; give it a new version`, {
        cause: error,
      });
    }
  });
}

/** They are in the cluster's database, where 1 MiB is much. */
const MAX_CHARTS = 200;

async function rejectTooMany(cluster: Pick<Cluster, 'listMetadata'>): Promise<void> {
  const { items } = await cluster.listMetadata(CHART_ARCHIVE);
  if (items.length < MAX_CHARTS) return;
  throw new AppError('LimitReached', `charts: ${items.length} are uploaded, at most ${MAX_CHARTS} can be; delete some, or use a registry`);
}

/** An uploaded chart with its ETag. */
export interface ShownChart extends ListedChart {
  readonly etag: string;
}

/** @throws AppError `NotFound`; `Forbidden` for whoever is not an admin. */
export async function showUploadedChart(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, id: string): Promise<ShownChart> {
  const object = await findArchive(ports, actor, id);
  const chart = await readUpload(ports.clusters.asActor(actor), object);
  return { ...chart, usedBy: usersOf(ports, chart), etag: etagOf(object) };
}

/** Its metadata. */
async function findArchive({ clusters }: Pick<Ports, 'clusters'>, actor: Actor, id: string): Promise<KubeObject> {
  const missing = new AppError('NotFound', `chart ${JSON.stringify(id.slice(0, 253))}: there is no uploaded chart of this name`);
  if (!isDnsSubdomain(id)) throw missing;
  return await clusters
    .asActor(actor)
    .get({ ...CHART_ARCHIVE, name: id }, { answer: 'metadata' })
    .catch((error: unknown) => {
      throw isAppError(error, 'NotFound') ? missing : error;
    });
}

/** @throws AppError `NotFound`; `PreconditionFailed`; `ChartInUse` with what refers to it. */
export async function deleteUploadedChart(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>,
  actor: Actor,
  { id, preconditions = {}, via, requestId }: RequestOrigin & { readonly id: string; readonly preconditions?: Preconditions },
): Promise<void> {
  const cluster = ports.clusters.asActor(actor);
  const object = await findArchive(ports, actor, id);
  const { uid } = object.metadata;
  const event = { action: 'delete chart', environment: '', target: id, via, requestId };
  await audited(ports, actor, event, async () => {
    checkPreconditions(`chart ${id}`, etagOf(object), preconditions);
    const chart = await readUpload(cluster, object);
    const revisions = (await cluster.list(APP_REVISION)).items.filter((revision) => usesUpload(chart, revision));
    const users = [...usersOf(ports, chart), ...revisions.map((revision) => `AppRevision ${revision.metadata.name}`)];
    if (users.length > 0) throw new AppError('ChartInUse', `chart ${id}: ${users.slice(0, 10).join(', ')} refer to it`);
    await cluster.delete({ ...CHART_ARCHIVE, name: id }, uid === undefined ? {} : { uid });
  });
}
