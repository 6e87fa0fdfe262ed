import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, DatabaseSetting } from '../config.ts';
import type { ChangeRequestSpec, RequestPhase } from '../domain/change-request/change-request-kind.ts';
import { AppError, isAppError, messageOf } from '../domain/core/errors.ts';
import { objectAt, textAt, textsAt } from '../domain/core/read.ts';
import { createSeal, type Seal } from '../domain/core/seal.ts';
import { ENVIRONMENT_KIND } from '../domain/environment/environment-kind.ts';
import { specOf } from '../domain/kind/kind.ts';
import { parseActor } from '../domain/kubernetes/actor.ts';
import { ifFound } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { CHANGE_REQUEST, ENVIRONMENT, NAMESPACE } from '../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type JsonObject, type KubeObject } from '../domain/kubernetes/resource.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import { createStore } from '../store/create-store.ts';
import { type EarlierResources, openEarlierResources } from '../store/earlier-resources.ts';
import { openKeyFile } from '../store/key-file.ts';
import { createPostgresStore } from '../store/postgres/create-postgres-store.ts';
import type { DatabaseSettings } from '../store/postgres/database.ts';
import type { Store } from '../store/store.ts';

export interface OpenStoreInput {
  readonly config: Config;
  readonly stateDir: string;
  readonly kube: Pick<Kube, 'asController'>;
  readonly log: Log;
}

/** The store, and what is sealed with the keys of the installation. */
export interface OpenStore {
  readonly store: Store;
  /** What is to be in the cluster. */
  readonly earlierRequests: EarlierResources;
  readonly earlierConfigurations: EarlierResources;
  readonly clusterUid: () => Promise<string>;
  /** For sign-ins under way. */
  readonly loginSeal: Seal;
  /** For what pages carry on. */
  readonly formSeal: Seal;
  close(): Promise<void>;
}

/**
 * Opens the database of all replicas where one is configured, else the files of this machine.
 *
 * @throws AppError `ConfigInvalid` when the sealing keys or the files cannot be read.
 */
export async function openStore({ config, stateDir, kube, log }: OpenStoreInput): Promise<OpenStore> {
  const keyFile = await openKeyFile({
    file: config.keysFile ?? join(stateDir, 'keys.json'),
    missing: config.keysFile === undefined ? 'create' : 'fail',
    onFault: (err) => log.error('The sealing keys cannot be read again; those that were read before serve on', { err }),
  });
  const sealFor = (purpose: string): Seal => createSeal({ keys: keyFile.keys, purpose });
  const { auditRetention, database } = config;
  const seal = sealFor('sessions');
  const clusterUid = readOnce(async () => await readClusterUid(kube));
  const file = join(stateDir, 'store.json');
  const earlierRequests = await openEarlierResources({ file, name: 'change-requests', tables: ['changeRequests'] });
  const earlierConfigurations = await openEarlierResources({
    file,
    name: 'saved-configurations',
    tables: ['savedConfigurations', 'savedConfigurationVersions'],
  });
  const local = await createStore({ file, seal, auditRetention });
  const shared =
    database === undefined
      ? undefined
      : await createPostgresStore({ settings: await databaseSettings(database), clusterUid, seal, auditRetention });
  return {
    store: shared ?? local,
    earlierRequests,
    earlierConfigurations,
    clusterUid,
    loginSeal: sealFor('sign-in'),
    formSeal: sealFor('form'),
    close: async () => {
      keyFile.close();
      await Promise.all([local.close(), shared?.close()]);
    },
  };
}

/** The uid of the cluster: that of its namespace `kube-system`, as is custom. */
async function readClusterUid(kube: OpenStoreInput['kube']): Promise<string> {
  const { metadata } = await kube.asController().get({ ...NAMESPACE, name: 'kube-system' });
  return metadata.uid ?? '';
}

function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return async () => {
    known ??= read();
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}

async function databaseSettings({ urlFile, caFile, connections }: DatabaseSetting): Promise<DatabaseSettings> {
  const trusted = caFile === undefined ? {} : { certificateAuthority: await readFile(caFile, 'utf8') };
  return { readUrl: async () => databaseUrl(await readFile(urlFile, 'utf8')), connections, ...trusted };
}

/** What TLS has to be is no choice of the URL: the server proves who it is, or `sslmode=disable` says that there is none. */
const TLS_MODES = ['disable', 'require', 'verify-full'];

/** Never quoted in a message: it has a password. */
function databaseUrl(text: string): URL {
  const invalid = (why: string): AppError => new AppError('ConfigInvalid', `--database-url-file: ${why}`);
  if (!URL.canParse(text.trim())) throw invalid('the file does not have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  const url = new URL(text.trim());
  if (!['postgres:', 'postgresql:'].includes(url.protocol)) throw invalid('the URL begins neither with postgres:// nor with postgresql://');
  if (url.hostname === '' || url.username === '' || url.pathname.length < 2)
    throw invalid('the URL lacks the host, the user or the database');
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !TLS_MODES.includes(mode)) throw invalid(`sslmode=${mode} is not one of ${TLS_MODES.join(', ')}`);
  return url;
}

interface MoveInput {
  readonly kube: Pick<Kube, 'asController' | 'asActor'>;
  readonly earlierRequests: EarlierResources;
  readonly clusterUid: () => Promise<string>;
  readonly log: Log;
}

type Entry = EarlierResources['entries'][number];

/**
 * Makes resources of the change requests that an earlier version kept in files, once each. Those of another cluster wait for it, and those of an Environment that is
 * not there for that. Never throws: what could not be moved is logged, stays in its file and is tried again at the next start.
 */
export async function moveChangeRequests(
  { kube, earlierRequests: earlier, clusterUid, log }: MoveInput,
  signal: AbortSignal,
): Promise<void> {
  if (earlier.entries.length === 0) return;
  const moved = new Set<string>();
  try {
    const uid = await clusterUid();
    for (const entry of earlier.entries.filter((one) => textAt(one, 'cluster') === uid)) {
      const id = textAt(entry, 'id') ?? '';
      const outcome = await move(kube, entry, signal).catch((error: unknown) => messageOf(error));
      signal.throwIfAborted();
      if (outcome === 'moved') moved.add(id);
      else log.warn('A change request of an earlier version is not in the cluster yet', { id, why: outcome });
    }
  } catch (error) {
    signal.throwIfAborted();
    log.warn('Change requests of an earlier version are not in the cluster yet', { why: messageOf(error) });
  }
  await earlier.forget(moved);
  log.info('Change requests of an earlier version are resources of the cluster now', {
    moved: moved.size,
    left: earlier.entries.length - moved.size,
  });
}

/** Answers `moved` when it is in the cluster now, else why it is not. It is created as the requester: nobody else can. */
async function move(kube: MoveInput['kube'], entry: Entry, signal: AbortSignal): Promise<string> {
  const cluster = kube.asController();
  const environment = await ifFound(cluster.get({ ...ENVIRONMENT, name: textAt(entry, 'environment') ?? '' }, { signal }));
  if (environment === undefined) return 'its Environment does not exist';
  const { namespace = environment.metadata.name } = specOf(ENVIRONMENT_KIND, environment);
  const object = { ...addressOf(entry, namespace), spec: specOfEntry(entry) };
  try {
    const { user, groups } = object.spec.requester;
    await kube.asActor(parseActor(user, groups)).create(CHANGE_REQUEST, object, { fieldManager: OURS.userFieldManager, signal });
  } catch (error) {
    if (!isAppError(error, 'AlreadyExists')) throw error;
  }
  const status = statusOfEntry(entry);
  if (status !== undefined) {
    const applied = { ...addressOf(entry, namespace), status };
    await cluster.applyStatus(CHANGE_REQUEST, applied, { fieldManager: OURS.fieldManager, force: 'force', signal });
  }
  return 'moved';
}

function addressOf(entry: Entry, namespace: string): Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion: apiVersionOf(CHANGE_REQUEST), kind: CHANGE_REQUEST.kind, metadata: { name: textAt(entry, 'id') ?? '', namespace } };
}

function specOfEntry(entry: Entry): ChangeRequestSpec {
  const preflight = findingsOf(objectAt(entry, 'preflightSummary'));
  const expires = textAt(entry, 'expires');
  return {
    action: textAt(entry, 'action') === 'change' ? 'Change' : 'Install',
    app: textAt(entry, 'app') ?? '',
    name: textAt(entry, 'name') ?? '',
    content: objectAt(entry, 'content') as JsonObject,
    ...(entry['otherFields'] === undefined ? {} : { otherFields: objectAt(entry, 'otherFields') as JsonObject }),
    base: textAt(entry, 'base') ?? '',
    message: textAt(entry, 'message') ?? '',
    requester: { user: textAt(entry, 'requester', 'user') ?? '', groups: textsAt(entry, 'requester', 'groups') },
    ...(preflight === undefined ? {} : { preflight }),
    ...(expires === undefined ? {} : { expires }),
  };
}

function findingsOf(summary: unknown): ChangeRequestSpec['preflight'] {
  const verdict = textAt(summary, 'verdict');
  if (verdict !== 'Ready' && verdict !== 'Blocked') return undefined;
  return { verdict, blocked: textsAt(summary, 'blocked'), warned: textsAt(summary, 'warned') };
}

const PHASES: Readonly<Record<string, RequestPhase>> = {
  approved: 'Applied',
  declined: 'Declined',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
};

/** Undefined for an open one: its status is the controller's. */
function statusOfEntry(entry: Entry): JsonObject | undefined {
  const phase = PHASES[textAt(entry, 'state') ?? ''];
  const [decidedBy, decidedAt] = [textAt(entry, 'decidedBy'), textAt(entry, 'decidedAt')];
  if (phase === undefined || decidedBy === undefined || decidedAt === undefined) return undefined;
  return { phase, decidedBy, decidedAt, message: textAt(entry, 'decisionMessage') ?? '' };
}
