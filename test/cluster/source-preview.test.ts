import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSourcePreviews } from '../../src/compose/create-source-ports.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { type Actor, parseActor } from '../../src/domain/kubernetes/actor.ts';
import { CATALOG_SOURCE, NAMESPACE, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { SourceStatus } from '../../src/domain/source/catalog-source.ts';
import { previewSourceRollback } from '../../src/operation/source/roll-back-source.ts';
import { approvePrune } from '../../src/operation/source/change-source.ts';
import { previewSource, type SourcePreview } from '../../src/operation/source/preview-source.ts';
import { type GitHost, startGitHost } from '../support/git-host.ts';
import { sampleAuditLog } from '../support/sample-audit-log.ts';
import { eventually } from '../support/eventually.ts';
import { isSuspended, newSourceName, operatorDocument, type SourceWorld, startSourceWorld } from '../support/source-world.ts';

const APPROVER = { via: 'page', requestId: 'r' } as const;
const SYSTEM = 'chandlery-system';
const RBAC = 'rbac.authorization.k8s.io';

describe('a preview of a revision', { timeout: 120_000 }, () => {
  const source = newSourceName();
  const group = (name: string): string => `test:${name}-${source}`;
  const [root, admin, reader] = ['root', 'admin', 'reader'].map((name) => parseActor(`test:${name}`, [group(name)])) as [
    Actor,
    Actor,
    Actor,
  ];
  const operator = (name: string, more?: string): string => operatorDocument(`${source}-${name}`, more);
  const token = (password: string): string =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: ${source}-token, namespace: ${SYSTEM}}\nstringData: {password: ${password}}\n`;
  let world: SourceWorld;
  let host: GitHost;
  let stateDir: string;
  let ports: Parameters<typeof previewSource>[0] & Parameters<typeof approvePrune>[0];
  const preview = (actor: Actor, ref?: string): Promise<SourcePreview> =>
    previewSource(ports, actor, { name: source, ...(ref === undefined ? {} : { ref }) });
  const bind = async (name: string, role: string): Promise<void> => {
    const apiGroup = 'rbac.authorization.k8s.io';
    await world.kube.asController().create(
      { group: apiGroup, version: 'v1', resource: 'clusterrolebindings' },
      {
        apiVersion: `${apiGroup}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: `${name}-${source}` },
        subjects: [{ kind: 'Group', apiGroup, name: group(name) }],
        roleRef: { apiGroup, kind: 'ClusterRole', name: role },
      },
    );
  };

  before(async () => {
    [world, host, stateDir] = await Promise.all([
      startSourceWorld(),
      startGitHost(),
      mkdtemp(join(await realpath(tmpdir()), 'chandlery-source-previews-')),
    ]);
    const { kube } = world;
    const catalog = {
      operators: () => [],
      customResourceDefinitions: () => [],
      environments: () => [],
      catalogSources: () => [],
      appDefinitions: () => [],
    };
    const sourcePreviews = await createSourcePreviews({
      stateDir,
      kube,
      kubectl: 'kubectl',
      allowEgress: ['127.0.0.0/8', '::1/128'],
      mirrors: [],
      certificateAuthorities: [],
    });
    ports = { clusters: kube, discovery: kube, catalog, sourcePreviews, auditLog: sampleAuditLog() };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM } };
    const controller = kube.asController();
    await controller.apply(NAMESPACE, namespace, { fieldManager: 'test', force: 'force' });
    const data = Object.entries(host.credentials).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    const secret: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: SYSTEM, name: source },
      data: Object.fromEntries(data),
    };
    await controller.apply(SECRET, secret, { fieldManager: 'test', force: 'force' });
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: `reader-${source}` },
      rules: [{ apiGroups: ['chandlery.dev'], resources: ['catalogsources'], verbs: ['get', 'list'] }],
    };
    await controller.create({ group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' }, role);
    await bind('root', 'cluster-admin');
    await bind('admin', 'chandlery-admin');
    await bind('reader', `reader-${source}`);
    await host.push({ 'a.yaml': operator('a'), 'b.yaml': operator('b'), 'c.yaml': operator('c'), 'token.yaml': token('tides') });
    const kinds = [{ group: '*', kind: '*' }];
    await world.declare(source, { git: { url: host.url, ref: { branch: 'main' }, secretRef: { name: source } }, allowedKinds: kinds });
    await world.untilReason(source, 'Synced');
  });
  after(async () => {
    await world.remove(source);
    await world.stop();
    await host.stop();
    await rm(stateDir, { recursive: true, force: true });
  });

  it('without a ref compares the revision of the source with what is live', async () => {
    const { changes, unchanged, removed, faults, revision, commit, runsAs } = await preview(root);
    assert.equal(runsAs, root.user);
    assert.deepEqual([changes, unchanged, removed, faults], [[], 4, [], []]);
    assert.equal(revision, (await world.status(source))?.revision);
    assert.equal(commit?.author, 'Ada <ada@example.com>');
  });

  it('of a branch shows what is new, changed and removed, masks Secrets, writes nothing and leaves nothing on the disk', async () => {
    const files = {
      'a.yaml': operator('a', 'suspend: true'),
      'b.yaml': operator('b'),
      'd.yaml': operator('d'),
      'token.yaml': token('surf'),
    };
    const commit = await host.push(files, { branch: 'next' });
    const found = await preview(root, 'next');
    assert.equal(found.revision, `next@sha1:${commit}`);
    assert.deepEqual(found.changes.map(({ kind, name, change }) => `${kind} ${name.slice(source.length + 1)} ${change}`).sort(), [
      'Operator a changed',
      'Operator d added',
      'Secret token changed',
    ]);
    const lines = found.changes.find(({ name }) => name === `${source}-a`)?.lines ?? [];
    assert.ok(lines.includes('+  suspend: true'), lines.join('\n'));
    assert.ok(!/tides|surf|dGlkZXM|c3VyZg/.test(stringifyJson(found)));
    assert.deepEqual(
      found.removed.map(({ name, file, outcome }) => [name, file, outcome]),
      [[`${source}-c`, 'c.yaml', 'Deleted']],
    );
    assert.equal(await world.operator(`${source}-d`), undefined);
    assert.deepEqual(await readdir(join(stateDir, 'source-previews')), []);
  });

  it('names each fault with file and line, also what only the api-server rejects', async () => {
    await host.push({ 'a.yaml': operator('a', 'colour: red'), 'b.yaml': 'kind: [' }, { branch: 'broken' });
    const { faults } = await preview(root, 'broken');
    assert.deepEqual(
      faults.map(({ file, line }) => `${file}:${line}`),
      ['a.yaml:7', 'b.yaml:1'],
    );
    assert.match(faults[0]?.message ?? '', /spec\.colour/);
  });

  it('acts as the person: it needs the permission to patch the source, and to get its Secret', async () => {
    const patch = { verb: 'patch', group: 'chandlery.dev', resource: 'catalogsources', name: source };
    await assert.rejects(preview(reader), { code: 'Forbidden', missing: patch });
    await assert.rejects(preview(admin), (error: { code?: string; missing?: { verb: string; resource: string } }) => {
      assert.deepEqual([error.code, error.missing?.verb, error.missing?.resource], ['Forbidden', 'get', 'secrets']);
      return true;
    });
  });

  for (const ref of ['--upload-pack=id', 'a..b', 'tag:', 'semver:$(id)', 'main:refs/heads/main']) {
    it(`takes ${ref} for no ref`, () => assert.rejects(preview(root, ref), { code: 'InvalidInput' }));
  }

  it('shows the deletions that wait for an approval, and approves exactly that revision', async () => {
    const commit = await host.push({ 'a.yaml': operator('a') });
    world.wake(source);
    await world.untilReason(source, 'PruneNotApproved');
    const { awaitsApproval, revision, removed } = await preview(root);
    assert.deepEqual([awaitsApproval, revision, removed.length], [true, `main@sha1:${commit}`, 3]);
    const approve = (of: string) => approvePrune(ports, admin, { name: source, revision: of, ...APPROVER });
    await assert.rejects(approve(`main@sha1:${'0'.repeat(40)}`), { code: 'Conflict' });
    await approve(revision);
    await world.untilReason(source, 'Synced');
    assert.equal(await world.operator(`${source}-b`), undefined);
    assert.ok(await world.operator(`${source}-a`));
  });

  it('says that the host rejects the credentials', async () => {
    host.setPassword('another');
    await assert.rejects(preview(root), { code: 'GitUnavailable', message: /rejects the credentials/ });
    host.setPassword('tides');
    assert.deepEqual(await readdir(join(stateDir, 'source-previews')), []);
  });
});

describe('a return to an earlier revision of a folder', { timeout: 120_000 }, () => {
  const source = newSourceName();
  const group = `test:admin-${source}`;
  const [admin, reader] = [parseActor(`test:${source}`, [group]), parseActor('test:reader', ['test:readers'])];
  const operator = (name: string, more?: string): string => operatorDocument(`${source}-${name}`, more);
  let world: SourceWorld;
  let folder: string;
  let ports: Parameters<typeof previewSourceRollback>[0];

  before(async () => {
    world = await startSourceWorld();
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-returned-'));
    const { kube } = world;
    const fetching = { allowEgress: [], mirrors: [], certificateAuthorities: [] };
    const sourcePreviews = await createSourcePreviews({ stateDir: join(folder, '.state'), kube, kubectl: 'kubectl', ...fetching });
    ports = { clusters: kube, sourcePreviews };
    const controller = kube.asController();
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM } };
    await controller.apply(NAMESPACE, namespace, { fieldManager: 'test', force: 'force' });
    await controller.create(
      { group: RBAC, version: 'v1', resource: 'clusterrolebindings' },
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: `admin-${source}` },
        subjects: [{ kind: 'Group', apiGroup: RBAC, name: group }],
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'chandlery-admin' },
      },
    );
  });
  after(async () => {
    await world.remove(source);
    await world.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows what each revision changed, and has the patch that restores the files, but no sensitive value', async () => {
    const secret = `apiVersion: v1\nkind: Secret\nmetadata: {name: ${source}, namespace: default}\nstringData: {password: tides}\n`;
    await writeFile(join(folder, 'a.yaml'), operator('a'));
    await writeFile(join(folder, 'secret.yaml'), secret);
    await world.declare(source, { folder: { path: folder }, allowedKinds: [{ group: '*', kind: '*' }], pruneDelay: '1s' });
    const { revision: first = '' } = await world.untilReason(source, 'Synced');
    await eventually(async () => (await keptRevisions()).includes(first), 'its files are kept');

    await writeFile(join(folder, 'a.yaml'), operator('a', 'suspend: true'));
    await writeFile(join(folder, 'b.yaml'), operator('b'));
    await writeFile(join(folder, 'secret.yaml'), secret.replace('tides', 'waves'));
    const { history } = await untilApplied(first);
    assert.deepEqual(
      history.map(({ added, changed, deleted, resources }) => [
        added,
        changed,
        deleted,
        resources.map(({ change, resource }) => `${change} ${resource}`).sort(),
      ]),
      [
        [1, 2, 0, [`Added Operator default/${source}-b`, `Changed Operator default/${source}-a`, `Changed Secret default/${source}`]],
        [2, 0, 0, [`Added Operator default/${source}-a`, `Added Secret default/${source}`]],
      ],
    );

    const rollback = await previewSourceRollback(ports, admin, { name: source, revision: first.slice('sha256:'.length).slice(0, 12) });
    assert.deepEqual(
      rollback.files?.map(({ file, change }) => `${change} ${file}`),
      ['Changed a.yaml', 'Removed b.yaml'],
    );
    assert.deepEqual(rollback.withheld, ['secret.yaml']);
    assert.doesNotMatch(stringifyJson(rollback), /tides|waves/);
    assert.doesNotMatch(stringifyJson(await ports.sourcePreviews.keptRevisions(await sourceObject())), /tides|waves/);
    execFileSync('patch', ['-p1', '-d', folder], { input: rollback.patch });
    world.wake(source);
    await eventually(async () => !isSuspended(await world.operator(`${source}-a`)), 'the operator is as it was');
    assert.deepEqual((await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort(), ['a.yaml', 'secret.yaml']);
  });

  it('is for those who may patch the source, and to a revision of its history', async () => {
    await assert.rejects(previewSourceRollback(ports, reader, { name: source, revision: 'sha256:0' }), { code: 'Forbidden' });
    await assert.rejects(previewSourceRollback(ports, admin, { name: source, revision: 'sha256:0' }), { code: 'NotFound' });
  });

  const sourceObject = (): Promise<KubeObject> => world.kube.asController().get({ ...CATALOG_SOURCE, name: source });
  const keptRevisions = async (): Promise<readonly string[]> =>
    (await ports.sourcePreviews.keptRevisions(await sourceObject())).map(({ revision }) => revision);
  const untilApplied = async (before: string): Promise<SourceStatus> => {
    world.wake(source);
    return await eventually(async () => {
      const status = await world.status(source);
      return status?.lastAppliedRevision === undefined || status.lastAppliedRevision === before ? undefined : status;
    }, 'another revision is applied');
  };
});
