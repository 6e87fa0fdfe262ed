import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, DatabaseSetting } from '../config.ts';
import { AppError } from '../domain/core/errors.ts';
import { createSeal, type Seal } from '../domain/core/seal.ts';
import { NAMESPACE } from '../domain/kubernetes/resource-types.ts';
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
