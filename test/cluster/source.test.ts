import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { statusOf } from '../../src/domain/kind/kind.ts';
import { CATALOG_SOURCE, NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { CATALOG_SOURCE_KIND, type SourceStatus } from '../../src/domain/source/catalog-source.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { runController } from '../../src/controller/controller.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { createKube, type Kube } from '../../src/kube/kube.ts';
import { startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import { createSourceReconciler } from '../../src/reconcile/source/reconcile-source.ts';
import { watchFolder } from '../../src/reconcile/source/watch-folder.ts';
import { createGit } from '../../src/git/git.ts';
import { type GitHost, startGitHost } from '../support/git-host.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { replaceFile } from '../support/replace-file.ts';
import { eventually } from '../support/eventually.ts';

const RUN = randomBytes(3).toString('hex');
const ending = new AbortController();
const lines: string[] = [];
let testCluster: TestCluster;
let kube: Kube;
let running: Promise<unknown>;
let host: GitHost;
let gitHome: string;
let folder: string;
let source: string;
let count = 0;
const wakers = new Set<(key: string) => void>();

before(async () => {
  testCluster = await sharedCluster();
  kube = createKube({ kubeconfigPath: testCluster.kubeconfigPath, userAgent: 'chandlery-test' });
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, ending.signal);
  host = await startGitHost();
  gitHome = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-checkouts-'));
  const git = createGit({ homeDir: gitHome, allowEgress: ['127.0.0.0/8', '::1/128'], certificateAuthorities: [] });
  const cluster = kube.asController();
  const log = createLog({ level: 'warn', format: 'lines', write: (text) => lines.push(text) });
  const folders = { onChange: (listener: (key: string) => void) => (wakers.add(listener), () => wakers.delete(listener)) };
  running = runController({
    name: 'source',
    sources: [startReflector({ cluster, type: CATALOG_SOURCE, signal: ending.signal, log }), folders],
    reconcile: createSourceReconciler({ cluster, git, log, now: () => new Date() }),
    workers: 2,
    log,
    signal: ending.signal,
  });
});
after(async () => {
  ending.abort();
  await running;
  await kube.close();
  await host.stop();
  await rm(gitHome, { recursive: true, force: true });
  await testCluster.stop();
});

describe('a catalogue folder', () => {
  let cleanUp: () => Promise<void>;
  beforeEach(async () => {
    count += 1;
    source = `source-${RUN}-${count}`;
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-catalog-'));
    const stopping = new AbortController();
    const name = source;
    const watching = watchFolder(folder, () => wakers.forEach((wake) => wake(name)), stopping.signal);
    cleanUp = async () => {
      stopping.abort();
      await watching;
      await kube.asController().delete({ ...CATALOG_SOURCE, name });
      await eventually(async () => (await currentStatus(name)) === undefined, 'the source is gone');
      await rm(folder, { recursive: true, force: true });
    };
  });
  afterEach(() => cleanUp());

  it('is live within two seconds after a change, and what leaves it leaves the cluster', async () => {
    await save('a.yaml', `${operator('a')}---\n${operator('b')}`);
    await save('sub/c.yml', operator('c'));
    await follow();
    const status = await settled('Synced');
    assert.deepEqual(
      status.inventory.map(({ file, name }) => `${file} ${name}`),
      [`a.yaml ${nameOf('a')}`, `a.yaml ${nameOf('b')}`, `sub/c.yml ${nameOf('c')}`],
    );
    assert.equal((await live('a'))?.metadata.labels?.['chandlery.dev/source'], source);

    const annotations = { 'chandlery.dev/reconcile-at': 'now' };
    await kube.asController().patch({ ...CATALOG_SOURCE, name: source }, { type: 'merge', body: { metadata: { annotations } } });
    await eventually(async () => (await currentStatus(source))?.lastHandledReconcileAt === 'now', 'the request is handled', 5);

    await save('a.yaml', operator('a', 'suspend: true'));
    await within2Seconds(
      async () => (await live('b')) === undefined && (await live('a'))?.spec !== undefined && isSuspended(await live('a')),
    );
    await rm(join(folder, 'sub', 'c.yml'));
    await within2Seconds(async () => (await live('c')) === undefined);
    assert.ok(await live('a'));
  });

  it('writes nothing while it is in sync, and so gives itself no cause to look again', async () => {
    await save('a.yaml', `${operator('a')}---\n${operator('b')}`);
    await follow();
    await settled('Synced');
    const version = async () => (await kube.asController().get({ ...CATALOG_SOURCE, name: source })).metadata.resourceVersion;
    await eventually(
      async () => {
        const before = await version();
        await sleep(1_000);
        return before === (await version());
      },
      'it is at rest',
      10,
    );
  });

  it('keeps the last good version of a faulty document, names file, line and fault, and applies everything else', async () => {
    await save('a.yaml', `${operator('a')}---\n${operator('b')}`);
    await follow();
    await settled('Synced');
    await save('a.yaml', `${operator('a', 'suspend: true\n  colour: red')}---\n${operator('c')}`);
    const status = await settled('Invalid');
    assert.deepEqual(
      status.faults.map(({ file, line, column, resource }) => [file, line, column, resource]),
      [['a.yaml', 8, 3, `Operator default/${nameOf('a')}`]],
    );
    assert.match(status.faults[0]?.message ?? '', /spec\.colour/);
    assert.equal(isSuspended(await live('a')), false);
    assert.ok(await live('b'), 'a file with a fault prunes nothing');
    assert.ok(await live('c'));
    const told = lines.filter((line) => line.includes(source) && line.includes('a.yaml:8'));
    assert.equal(told.length, 1, lines.join(''));
    await save('a.yaml', '');
    await eventually(
      async () => (await currentStatus(source))?.faults[0]?.message.startsWith('the file is empty') === true,
      'the file is a fault',
    );
    assert.ok(await live('b'), 'a program that is about to write the file deletes nothing');
    await save('a.yaml', operator('a'));
    await settled('Synced');
    assert.equal(await live('b'), undefined);
  });

  const faults: readonly { title: string; text: () => string; line: number; message: RegExp }[] = [
    {
      title: 'a value of the wrong type',
      text: () => operator('x', 'suspend: [yes]'),
      line: 7,
      message: /"spec\.suspend" must be a boolean/,
    },
    { title: 'a value that the rules of the kind reject', text: () => operator('x', 'interval: 2s'), line: 7, message: /at least 10s/ },
    {
      title: 'a value that is not in the list',
      text: () => operator('x', 'deletionPolicy: Maybe'),
      line: 7,
      message: /spec\.deletionPolicy: "Maybe" is not one of/,
    },
    {
      title: 'a namespace that does not exist',
      text: () => operator('x').replace('metadata:', 'metadata:\n  namespace: nowhere'),
      line: 4,
      message: /there is no namespace "nowhere"/,
    },
    {
      title: 'a field that is missing',
      text: () =>
        'apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata: {name: x}\nspec:\n  name: x\n  chart:\n    name: x\n',
      line: 6,
      message: /^spec\.chart\.repoURL: is required$/,
    },
    { title: 'a YAML error', text: () => 'kind: Operator\n  name: x\n', line: 1, message: /invalid YAML/ },
  ];
  for (const { title, text, line, message } of faults) {
    it(`reports ${title} on its line`, async () => {
      await save('good.yaml', operator('good'));
      await save('bad.yaml', text());
      await follow();
      const status = await settled('Invalid');
      assert.equal(status.faults[0]?.file, 'bad.yaml');
      assert.match(status.faults[0].message, message);
      assert.equal(status.faults[0].line, line);
      assert.ok(await live('good'));
      assert.equal(await live('x'), undefined);
    });
  }

  it('removes nothing when it is emptied or vanishes, and says what to do', async () => {
    await save('a.yaml', operator('a'));
    await follow();
    await settled('Synced');
    await rename(join(folder, 'a.yaml'), join(folder, 'a.txt'));
    assert.match((await settled('FolderEmpty')).faults[0]?.message ?? '', /delete the CatalogSource/);
    await rm(folder, { recursive: true });
    await settled('FolderMissing');
    assert.ok(await live('a'));
    await mkdir(folder);
    await save('a.yaml', operator('a'));
    await settled('Synced');
  });

  it('does not take fields from a person who changed them in the cluster, and names who did', async () => {
    await save('a.yaml', operator('a', 'interval: 20m'));
    await follow();
    await settled('Synced');
    const ref = { ...OPERATOR, namespace: 'default', name: nameOf('a') };
    await kube.asController().patch(ref, { type: 'merge', body: { spec: { interval: '30m' } } }, { fieldManager: 'a-person' });
    await save('a.yaml', operator('a', 'interval: 40m'));
    const status = await settled('Invalid');
    assert.match(status.faults[0]?.message ?? '', /"a-person".*spec\.interval/);
    assert.equal(status.faults[0]?.line, 7);
  });
});

describe('a git repository', () => {
  const secret = `git-${RUN}`;
  const SYSTEM = { namespace: 'chandlery-system' };
  const password = async (text: string): Promise<void> => {
    const data = Object.entries({ ...host.credentials, password: text }).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]);
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { ...SYSTEM, name: secret }, data: Object.fromEntries(data) };
    await kube.asController().apply(SECRET, object, { fieldManager: 'test', force: 'force' });
  };
  const declare = async (git: object): Promise<void> => {
    const spec = { git: { url: host.url, secretRef: { name: secret }, path: 'clusters/one', ...git }, interval: '10s' };
    const object = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name: source }, spec };
    await kube.asController().apply(CATALOG_SOURCE, object, { fieldManager: 'test', force: 'force' });
  };
  const annotate = async (name: string, value: string): Promise<void> => {
    const body = { metadata: { annotations: { [`chandlery.dev/${name}`]: value } } };
    await kube.asController().patch({ ...CATALOG_SOURCE, name: source }, { type: 'merge', body }, { fieldManager: 'test' });
  };
  const wake = (): void => wakers.forEach((listener) => listener(source));
  const isAt = async (revision: string): Promise<void> => {
    wake();
    await eventually(async () => (await currentStatus(source))?.lastAppliedRevision === revision, `${revision} is live`, 20);
  };
  const problem = async (): Promise<string> => findCondition((await currentStatus(source))?.conditions ?? [], 'Ready')?.message ?? '';

  before(async () => {
    count += 1;
    source = `source-${RUN}-${count}`;
    folder = host.url;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM.namespace } };
    await kube.asController().apply(NAMESPACE, namespace, { fieldManager: 'test', force: 'force' });
    await password('tides');
  });
  after(async () => {
    await kube.asController().delete({ ...CATALOG_SOURCE, name: source });
    await eventually(async () => (await currentStatus(source)) === undefined, 'the source is gone');
  });

  it('is live by its default branch, follows what is pushed, and is fetched once a commit', async () => {
    const first = await host.push({ 'clusters/one/a.yaml': operator('a'), 'clusters/two/b.yaml': operator('b'), 'README.md': 'Hello' });
    await declare({});
    await settled('Synced');
    await isAt(`main@sha1:${first}`);
    assert.ok((await live('a')) !== undefined && (await live('b')) === undefined);
    const before = host.fetches();
    await annotate('reconcile-at', 'again');
    await eventually(async () => (await currentStatus(source))?.lastHandledReconcileAt === 'again', 'it was looked at again', 20);
    assert.equal(host.fetches(), before);
    const second = await host.push({ 'clusters/one/c.yaml': operator('c') });
    wake();
    await settled('PruneNotApproved');
    const command = `kubectl annotate --overwrite catalogsource ${source} chandlery.dev/approved-prune=main@sha1:${second}`;
    const deletes = `main@sha1:${second} would delete 1 of 1 resource (Operator default/${nameOf('a')})`;
    assert.equal(await problem(), `${deletes}; nothing of it is applied. To approve it: ${command}`);
    assert.ok((await live('a')) !== undefined && (await live('c')) === undefined);
    await annotate('approved-prune', `main@sha1:${second}`);
    await isAt(`main@sha1:${second}`);
    assert.ok((await live('a')) === undefined && (await live('c')) !== undefined);
  });

  it('applies nothing of a revision with a fault, and says file and line', async () => {
    await host.push({ 'clusters/one/c.yaml': operator('c'), 'clusters/one/d.yaml': `${operator('d')}  unknown: true\n` });
    wake();
    const { faults } = await settled('Invalid');
    assert.deepEqual(
      faults.map(({ file, line }) => [file, line]),
      [['d.yaml', 7]],
    );
    assert.match(await problem(), /d\.yaml:7: .*nothing of this revision is applied/);
    assert.equal(await live('d'), undefined);
  });

  it('is read at a tag, at the newest version of a range, or at one commit', async () => {
    const old = await host.push({ 'clusters/one/c.yaml': operator('c') }, { tag: 'v1.2.0' });
    const newest = await host.push({ 'clusters/one/c.yaml': operator('c', 'suspend: true') }, { tag: 'v1.10.0' });
    await host.push({ 'clusters/one/c.yaml': operator('c') }, { tag: 'v2.0.0-rc.1' });
    await declare({ ref: { semver: '^1.2' } });
    await isAt(`v1.10.0@sha1:${newest}`);
    assert.ok(isSuspended(await live('c')));
    await declare({ ref: { tag: 'v1.2.0' } });
    await isAt(`v1.2.0@sha1:${old}`);
    await declare({ ref: { commit: newest } });
    await isAt(`commit@sha1:${newest}`);
    await declare({ ref: { semver: '>=3' } });
    await settled('GitUnavailable');
    assert.match(await problem(), /no tag is a version in the range >=3; nothing was deleted/);
    assert.ok(await live('c'));
  });

  it('stops when its credentials are revoked, and goes on with new ones', async () => {
    await declare({});
    await settled('Synced');
    host.setPassword('ebb');
    wake();
    await settled('GitUnavailable');
    assert.match(await problem(), /the host rejects the credentials, or asks for some; check the Secret in spec\.git\.secretRef/);
    assert.ok(!lines.some((line) => line.includes('tides')));
    await password('ebb');
    await settled('Synced');
    await declare({ path: 'clusters/none' });
    await settled('GitUnavailable');
    assert.match(await problem(), /has no folder "clusters\/none"/);
    await declare({ url: 'https://169.254.169.254/catalog.git' });
    await eventually(async () => (await problem()).includes('the egress policy allows no'), 'a metadata address is closed', 20);
  });

  it('is rejected by the api-server where it can hold no repository', async () => {
    const wrong = [
      [{ url: 'http://localhost/catalog.git' }, /must be an https address/],
      [{ url: 'https://user:pass@localhost/catalog.git' }, /must not hold a user or password/],
      [{ path: '../../etc' }, /must be a path inside the repository/],
      [{ ref: { branch: '--upload-pack=touch' } }, /must be the name of a branch or tag/],
      [{ ref: { branch: 'main', tag: 'v1' } }, /set one of branch, tag, semver and commit/],
    ] as const;
    for (const [git, message] of wrong) await assert.rejects(declare(git), message);
  });
});

function operator(name: string, more = ''): string {
  const head = `apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata:\n  name: ${nameOf(name)}\nspec:\n  chartURL: https://example.com/chart.tgz\n`;
  return more === '' ? head : `${head}  ${more}\n`;
}

function nameOf(name: string): string {
  return `${name}-${RUN}-${count}`;
}

async function save(file: string, text: string): Promise<void> {
  await mkdir(join(folder, file, '..'), { recursive: true });
  await replaceFile(join(folder, file), text);
}

async function follow(): Promise<void> {
  const object = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: source },
    spec: { folder: { path: folder } },
  };
  await kube.asController().create(CATALOG_SOURCE, object);
}

async function currentStatus(name: string): Promise<SourceStatus | undefined> {
  try {
    return statusOf(CATALOG_SOURCE_KIND, await kube.asController().get({ ...CATALOG_SOURCE, name }));
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function settled(reason: string): Promise<SourceStatus> {
  return eventually(
    async () => {
      const status = await currentStatus(source);
      return findCondition(status?.conditions ?? [], 'Ready')?.reason === reason ? status : undefined;
    },
    `the source is ${reason}: ${folder}`,
    20,
  );
}

async function live(name: string): Promise<KubeObject | undefined> {
  return await ifFound(kube.asController().get({ ...OPERATOR, namespace: 'default', name: nameOf(name) }));
}

function isSuspended(object: KubeObject | undefined): boolean {
  return (object?.spec as { suspend?: boolean } | undefined)?.suspend === true;
}

async function within2Seconds(holds: () => Promise<boolean>): Promise<void> {
  await eventually(holds, 'the change is live', 2);
}
