import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { specOf, statusOf } from '../../../src/domain/kind/kind.ts';
import { isAppError, messageOf } from '../../../src/domain/core/errors.ts';
import { conditionsOf, findCondition } from '../../../src/domain/kubernetes/condition.ts';
import { OURS } from '../../../src/domain/kubernetes/names.ts';
import { CATALOG_SOURCE, NAMESPACE, ROLE_BINDING, SECRET } from '../../../src/domain/kubernetes/resource-types.ts';
import { CATALOG_SOURCE_KIND } from '../../../src/domain/source/catalog-source.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../../src/kube/kube.ts';
import { createReplica, type Replica } from '../../replicas/replica-process.ts';
import { repoRoot, startThrowawayCluster } from '../../support/cluster.ts';
import { elapse } from '../../support/elapse.ts';
import { freePort } from '../../support/free-port.ts';
import { type GitHost, startGitHost } from '../../support/git-host.ts';
import { openKube } from '../../support/open-kube.ts';
import { replaceFile } from '../../support/replace-file.ts';
import { CONTENT, type Files, type SourceKey, SOURCES, workOfPeople, writeSlipCharts } from './catalogue.ts';

/** A cluster with a controller of its own, three sources, and people with work in the environments of these. */
export interface SlipWorld {
  readonly kube: Kube;
  readonly controller: Replica;
  readonly git: GitHost;
  /** The folders of the sources that have one. */
  readonly folders: Readonly<Record<'folder' | 'mount', string>>;
  /** What the controller logs. */
  readonly logFile: string;
  /** A folder for what is away. */
  readonly aside: string;
  /** Brings a new revision of the mount, as the kubelet does with a ConfigMap. */
  mount(files: Files): Promise<void>;
  patchSource(key: SourceKey, body: JsonObject): Promise<void>;
  /** Has every source reconciled that is not suspended. @throws when it does not come about within `seconds`. */
  reconciled(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

const KEYS = Object.keys(SOURCES) as readonly SourceKey[];
const POLL_MS = 50;
const INSTALLED_WITHIN_S = 600;
const FIELD_MANAGER = 'slips';

export async function startSlipWorld(): Promise<SlipWorld> {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const world = await start((end) => void ends.push(end));
    await declareAll(world);
    return { ...world, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(onEnd: (end: () => Promise<unknown>) => void): Promise<Omit<SlipWorld, 'stop'>> {
  const root = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-slips-'));
  onEnd(async () => await rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const folders = { folder: join(root, 'catalogue'), mount: join(root, 'mount') };
  const [aside, charts] = [join(root, 'aside'), join(root, 'charts')];
  await Promise.all([...Object.values(folders), aside].map(async (path) => await mkdir(path)));
  await writeSlipCharts(charts);
  const cluster = await startThrowawayCluster(await loadTools(repoRoot));
  const kube = openKube(cluster.kubeconfigPath, { userAgent: 'slips' });
  // The end of the api-server closes the streams of watches.
  onEnd(async () => await cluster.stop().then(kube.close));
  const git = await startGitHost();
  onEnd(git.stop);
  const options = ['--kubeconfig', cluster.kubeconfigPath, '--installation', 'slips', '--yes', '--state', join(root, 'state')];
  const more = ['--role', 'controller', '--chart-root', `slips=${charts}`, '--allow-egress', '127.0.0.0/8', '--allow-egress', '::1/128'];
  const logFile = join(root, 'controller.log');
  const controller = createReplica({ name: 'controller', port: await freePort(), options: [...options, ...more], logFile });
  onEnd(controller.kill);
  await writeFiles(folders.folder, CONTENT.folder);
  await mountFiles(folders.mount, CONTENT.mount);
  await git.push(CONTENT.git);
  await git.push(await withoutSome(CONTENT.git), { branch: 'other' });
  await git.push(CONTENT.git);
  await controller.start();
  await controller.ready();
  let count = 0;
  const patchSource = async (key: SourceKey, body: JsonObject): Promise<void> => {
    await kube.asController().patch({ ...CATALOG_SOURCE, name: SOURCES[key] }, { type: 'merge', body }, { fieldManager: FIELD_MANAGER });
  };
  return {
    kube,
    controller,
    logFile,
    git,
    folders,
    aside,
    mount: async (files) => await mountFiles(folders.mount, files),
    patchSource,
    reconciled: async (seconds) => {
      count += 1;
      const at = `${new Date().toISOString()}-${count}`;
      for (const key of KEYS) await patchSource(key, { metadata: { annotations: { [OURS.reconcileAt]: at } } });
      await within(seconds, async () => await areHandled(kube, at));
    },
  };
}

/** A branch on which somebody has removed half of the files. */
async function withoutSome(files: Files): Promise<Files> {
  return Object.fromEntries(Object.entries(files).filter((_entry, index) => index % 2 === 0));
}

export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await replaceFile(join(folder, file), text);
  }
}

/** Links to files of a hidden folder, which one rename replaces. */
async function mountFiles(folder: string, files: Files): Promise<void> {
  const earlier = (await readdir(folder)).filter((name) => name.startsWith('..2'));
  const data = `..${new Date().toISOString().replaceAll(/[-:T]/g, '_')}${Math.trunc(performance.now())}`;
  await writeFiles(join(folder, data), files);
  await symlink(data, join(folder, '..data_tmp'));
  await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  const links = await readdir(folder);
  for (const name of Object.keys(files)) if (!links.includes(name)) await symlink(join('..data', name), join(folder, name));
  for (const name of links) if (!name.startsWith('..') && !(name in files)) await unlink(join(folder, name));
  for (const name of earlier) await rm(join(folder, name), { recursive: true });
}

/** The sources, and what people do as soon as these have brought their environments. */
async function declareAll(world: Omit<SlipWorld, 'stop'>): Promise<void> {
  const { kube, git, folders } = world;
  const cluster = kube.asController();
  const data = Object.fromEntries(Object.entries(git.credentials).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: OURS.systemNamespace, name: 'slips-git' }, data };
  await within(60, async () => (await cluster.get({ ...NAMESPACE, name: OURS.systemNamespace })).metadata.name !== '');
  await cluster.apply(SECRET, secret, { fieldManager: FIELD_MANAGER });
  const ours = [
    { group: OURS.operatorGroup, kind: 'Operator' },
    { group: OURS.group, kind: 'AppDefinition' },
    { group: OURS.group, kind: 'Environment' },
    { group: '', kind: 'PersistentVolumeClaim' },
  ];
  const specs: Readonly<Record<SourceKey, object>> = {
    folder: { folder: { path: folders.folder } },
    mount: { folder: { path: folders.mount } },
    git: { git: { url: git.url, ref: { branch: 'main' }, secretRef: { name: 'slips-git' } }, allowedKinds: ours, interval: '1m' },
  };
  for (const key of KEYS) {
    const spec = { ...specs[key], pruneDelay: '1s' };
    const object = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name: SOURCES[key] }, spec };
    await cluster.create(CATALOG_SOURCE, object);
  }
  for (const { type, object } of workOfPeople()) {
    await within(INSTALLED_WITHIN_S, async () => await isThere(async () => void (await cluster.create(type, object))));
  }
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'by-hand', namespace: 'shop' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'oidc:zoe' }],
  };
  await cluster.create(ROLE_BINDING, binding);
  await within(INSTALLED_WITHIN_S, async () => (await unready(kube)) === '');
}

async function isThere(create: () => Promise<void>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (isAppError(error, 'AlreadyExists')) return true;
    throw error;
  }
}

/** The sources that are not in sync, or whose removals are pending, with the reason. */
export async function unready(kube: Kube): Promise<string> {
  const { items } = await kube.asController().list(CATALOG_SOURCE);
  const sentences = items.map((source) => {
    const ready = findCondition(conditionsOf(source), 'Ready');
    const { removals = 0 } = statusOf(CATALOG_SOURCE_KIND, source);
    const isCurrent = statusOf(CATALOG_SOURCE_KIND, source).observedGeneration === source.metadata.generation;
    if (ready?.status === 'True' && isCurrent && removals === 0) return '';
    return `CatalogSource ${source.metadata.name}: ${ready?.reason ?? 'no condition'}: ${ready?.message ?? ''}; ${removals} removals`;
  });
  return sentences.filter((sentence) => sentence !== '').join('; ');
}

async function areHandled(kube: Kube, at: string): Promise<boolean> {
  const { items } = await kube.asController().list(CATALOG_SOURCE);
  // A suspended source handles nothing.
  return items.every(
    (source) => specOf(CATALOG_SOURCE_KIND, source).suspend || statusOf(CATALOG_SOURCE_KIND, source).lastHandledReconcileAt === at,
  );
}

/** Asks again and again until it is so. @throws with the last error when the time is over. */
export async function within(seconds: number, holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  for (let last = 'it is not so'; ;) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = messageOf(error);
    }
    if (performance.now() > until) throw new Error(`not within ${seconds} s: ${last}`);
    await elapse(POLL_MS);
  }
}
