import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { CATALOG_SOURCE, NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { SourceStatus } from '../../src/domain/source/catalog-source.ts';
import { admissionPolicy } from '../support/admission-policy.ts';
import { eventually } from '../support/eventually.ts';
import { type GitHost, startGitHost } from '../support/git-host.ts';
import { makeKey, startGitSshHost } from '../support/git-ssh-host.ts';
import { OCI_MANIFEST, serveRegistry } from '../support/registry.ts';
import { packEntries } from '../support/charts.ts';
import { isSuspended, newSourceName, operatorDocument, type SourceWorld, startSourceWorld } from '../support/source-world.ts';
import { inAll } from '../support/test-set.ts';

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1' };
let world: SourceWorld;
let host: GitHost;
let source: string;

describe('a git repository', () => {
  const secret = `git-${newSourceName()}`;
  const SYSTEM = { namespace: 'chandlery-system' };
  const keep = async (name: string, texts: Readonly<Record<string, string>>): Promise<void> => {
    const data = Object.entries(texts).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { ...SYSTEM, name }, data: Object.fromEntries(data) };
    await world.kube.asController().apply(SECRET, object, { fieldManager: 'test', force: 'force' });
  };
  const password = (text: string): Promise<void> => keep(secret, { ...host.credentials, password: text });
  const declare = async (git: object): Promise<void> => {
    const spec = { git: { url: host.url, secretRef: { name: secret }, path: 'clusters/one', ...git }, interval: '10s' };
    await world.declare(source, spec);
  };
  const annotate = async (name: string, value: string): Promise<void> => {
    const body = { metadata: { annotations: { [`chandlery.dev/${name}`]: value } } };
    await world.kube.asController().patch({ ...CATALOG_SOURCE, name: source }, { type: 'merge', body }, { fieldManager: 'test' });
  };
  const wake = (): void => world.wake(source);
  const isAt = async (revision: string): Promise<void> => {
    wake();
    await eventually(async () => (await world.status(source))?.lastAppliedRevision === revision, `${revision} is live`, 20);
  };
  const problem = (): Promise<string> => world.problem(source);
  const untilReason = (reason: string): Promise<SourceStatus> => world.untilReason(source, reason);

  before(async () => {
    world = await startSourceWorld();
    host = await startGitHost();
    source = newSourceName();
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM.namespace } };
    await world.kube.asController().apply(NAMESPACE, namespace, { fieldManager: 'test', force: 'force' });
    await password('tides');
  });
  after(async () => {
    await world.remove(source);
    await world.stop();
    await host.stop();
  });

  it('is live by its default branch, follows what is pushed, and is fetched once a commit', async () => {
    const first = await host.push({ 'clusters/one/a.yaml': operator('a'), 'clusters/two/b.yaml': operator('b'), 'README.md': 'Hello' });
    await declare({});
    await untilReason('Synced');
    await isAt(`main@sha1:${first}`);
    assert.ok((await live('a')) !== undefined && (await live('b')) === undefined);
    const before = host.fetches();
    await annotate('reconcile-at', 'again');
    await eventually(async () => (await world.status(source))?.lastHandledReconcileAt === 'again', 'it was looked at again', 20);
    assert.equal(host.fetches(), before);
    const second = await host.push({ 'clusters/one/c.yaml': operator('c') });
    wake();
    await isAt(`main@sha1:${second}`);
    assert.equal(await problem(), '1 resource of 1 file is live; 1 resource without a document pending removal');
    assert.ok((await live('a')) !== undefined && (await live('c')) !== undefined);
    await annotate('approved-prune', `main@sha1:${second}`);
    await eventually(async () => (await live('a')) === undefined, 'it is removed');
    const { commit, history } = await untilReason('Synced');
    assert.deepEqual([commit?.author, commit?.message], ['Ada <ada@example.com>', 'Change the catalogue']);
    assert.deepEqual(
      history.map(({ revision, outcome, applied, deleted }) => [revision.slice(-40), outcome, applied, deleted]),
      [
        [second, 'Applied', 1, 1],
        [first, 'Applied', 1, 0],
      ],
    );
  });

  it('applies nothing of a revision with a fault, and says file and line', async () => {
    await host.push({ 'clusters/one/c.yaml': operator('c'), 'clusters/one/d.yaml': `${operator('d')}  unknown: true\n` });
    wake();
    const { faults } = await untilReason('Invalid');
    assert.deepEqual(
      faults.map(({ file, line }) => [file, line]),
      [['d.yaml', 7]],
    );
    assert.match(await problem(), /d\.yaml:7: .*nothing of this revision is applied/);
    assert.equal(await live('d'), undefined);
  });

  it(
    'says what is live of a revision that is rejected half-way, also once a broken one has followed it',
    inAll('it is a fault between two writes'),
    async () => {
      const expression = `!object.metadata.name.endsWith('${nameOf('f')}') || request.dryRun`;
      const policy = { name: nameOf('half'), group: 'operatorcontroller.kubeplus', resource: 'operators', validationActions: ['Deny'] };
      const objects = Object.entries(admissionPolicy({ ...policy, expression, message: 'not now' }));
      const types = objects.map(([resource, object]) => ({ type: { ...ADMISSION, resource }, object }));
      for (const { type, object } of types) await world.kube.asController().create(type, object);
      await eventually(async () => await isRejected(operator('f')), 'the policy is in force', 20);
      const files = { 'clusters/one/c.yaml': operator('c'), 'clusters/one/e.yaml': operator('e'), 'clusters/one/f.yaml': operator('f') };
      const half = await host.push(files);
      wake();
      await eventually(async () => (await problem()).includes('this revision is live in part'), 'a half is live', 20);
      assert.equal((await world.status(source))?.partialRevision, `main@sha1:${half}`);
      assert.ok((await live('e')) !== undefined && (await live('f')) === undefined);
      await host.push({ ...files, 'clusters/one/e.yaml': 'kind: [\n' });
      wake();
      const rest = `nothing of this revision is applied, and main@sha1:${half} is live in part`;
      await eventually(async () => (await problem()).includes(rest), 'the broken revision names the half', 20);
      for (const { type, object } of types) await world.kube.asController().delete({ ...type, name: object.metadata.name });
      await eventually(async () => !(await isRejected(operator('f'))), 'the policy is gone', 20);
      const whole = await host.push({ ...files, 'clusters/one/c.yaml': operator('c', 'suspend: true') });
      await isAt(`main@sha1:${whole}`);
      assert.equal((await world.status(source))?.partialRevision, undefined);
      const { inventory } = await untilReason('Synced');
      assert.equal(inventory.length, 3);
      const last = await host.push({ 'clusters/one/c.yaml': operator('c') });
      await untilReason('PruneNotApproved');
      await annotate('approved-prune', `main@sha1:${last}`);
      await isAt(`main@sha1:${last}`);
    },
  );

  it('hands a document over that one commit moves to the folder of another source', inAll('two sources take part'), async () => {
    const other = `${source}-two`;
    const second = { git: { url: host.url, secretRef: { name: secret }, path: 'clusters/two' }, interval: '10s' };
    const first = await host.push({
      'clusters/one/c.yaml': operator('c'),
      'clusters/one/m.yaml': operator('m'),
      'clusters/two/n.yaml': operator('n'),
    });
    await isAt(`main@sha1:${first}`);
    await world.declare(other, second);
    try {
      await world.untilReason(other, 'Synced');
      const before = await live('m');
      await host.push({ 'clusters/one/c.yaml': operator('c'), 'clusters/two/m.yaml': operator('m'), 'clusters/two/n.yaml': operator('n') });
      wake();
      await eventually(async () => ownerOf(await live('m')) !== source, 'the first source gives it up', 20);
      world.wake(other);
      await eventually(async () => ownerOf(await live('m')) === other, 'the second source has it', 20);
      assert.equal((await live('m'))?.metadata.uid, before?.metadata.uid, 'it was not made anew');
    } finally {
      await world.remove(other);
    }
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
    await untilReason('GitUnavailable');
    assert.match(await problem(), /no tag is a version in the range >=3; nothing was deleted/);
    assert.ok(await live('c'));
  });

  it('stops when its credentials are revoked, and goes on with new ones', inAll('it is an outage'), async () => {
    await declare({});
    await untilReason('Synced');
    host.setPassword('ebb');
    wake();
    await untilReason('GitUnavailable');
    assert.match(await problem(), /the host rejects the credentials, or asks for some; check the Secret in spec\.git\.secretRef/);
    assert.ok(!world.lines.some((line) => line.includes('tides')));
    await password('ebb');
    await untilReason('Synced');
    await declare({ path: 'clusters/none' });
    await untilReason('GitUnavailable');
    assert.match(await problem(), /has no folder "clusters\/none"/);
    await declare({ url: 'https://169.254.169.254/catalog.git' });
    await eventually(async () => (await problem()).includes('the egress policy allows no'), 'a metadata address is closed', 20);
  });

  it(
    'is read by ssh from a host that known_hosts names, and from no other',
    inAll('test/unit/git/ssh.test.ts reads the same host'),
    async () => {
      const ssh = await startGitSshHost(host.root);
      try {
        const commit = await host.push({ 'clusters/one/c.yaml': operator('c') });
        const url = `ssh://git@${ssh.host}/catalog.git`;
        await keep(`${secret}-ssh`, ssh.credentials);
        await declare({ url, secretRef: { name: `${secret}-ssh` } });
        await isAt(`main@sha1:${commit}`);
        await keep(`${secret}-ssh`, { ...ssh.credentials, known_hosts: ssh.otherHostKey });
        wake();
        await untilReason('GitUnavailable');
        assert.match(await problem(), /the host key is another than the one in known_hosts.*nothing was deleted/);
      } finally {
        await ssh.stop();
      }
    },
  );

  it('is applied only when an allowed key has signed it, if there is a policy', async () => {
    const keys = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-keys-'));
    try {
      const plain = await host.push({ 'clusters/one/c.yaml': operator('c') });
      await declare({});
      await isAt(`main@sha1:${plain}`);
      const ada = await makeKey(keys, 'ada');
      await keep(`${secret}-signers`, { 'ada.pub': ada.public });
      await host.push({ 'clusters/one/c.yaml': operator('c', 'suspend: true') });
      await declare({ verify: { secretRef: { name: `${secret}-signers` } } });
      await untilReason('VerificationFailed');
      assert.match(await problem(), /neither the commit \S+ nor a tag of it has a signature; .*nothing was deleted/);
      assert.ok(!isSuspended(await live('c')));
      const signed = await host.push({ 'clusters/one/c.yaml': operator('c', 'suspend: true') }, { signCommit: ada.file });
      await isAt(`main@sha1:${signed}`);
      assert.match((await untilReason('Synced')).commit?.signedBy ?? '', /^ada\.pub: ED25519 key SHA256:/);
    } finally {
      await rm(keys, { recursive: true, force: true });
    }
  });

  it(
    'may be replaced by an OCI artifact with the same files',
    inAll('test/unit/chart/artifact.test.ts reads the same registry'),
    async (t) => {
      const registry = await serveRegistry(t);
      const packed = await packEntries([{ name: 'clusters/one/c.yaml', content: operator('c') }]);
      const layer = { mediaType: 'application/vnd.cncf.flux.content.v1.tar+gzip', size: packed.length, digest: registry.putBlob(packed) };
      const digest = registry.putManifest('platform/catalogue', 'v1.0.0', { schemaVersion: 2, mediaType: OCI_MANIFEST, layers: [layer] });
      const url = `oci://${registry.host}/platform/catalogue`;
      await keep(`${secret}-oci`, { 'ca.crt': registry.authority });
      const declareArtifact = (oci: object): Promise<void> =>
        world.declare(source, { oci: { url, path: 'clusters/one', secretRef: { name: `${secret}-oci` }, ...oci }, interval: '10s' });
      await declareArtifact({ ref: { semver: '1.x' } });
      await isAt(`v1.0.0@${digest}`);
      assert.equal((await untilReason('Synced')).commit, undefined);
      assert.ok(!isSuspended(await live('c')));
      await declareArtifact({ ref: { tag: 'v2.0.0' } });
      await untilReason('ArtifactUnavailable');
      assert.ok(await live('c'));
      await assert.rejects(declareArtifact({ url: `${url}:v1.0.0` }), /must be the address of an artifact without tag/);
      await assert.rejects(declareArtifact({ ref: { tag: 'v1', digest } }), /set one of tag, semver and digest/);
      await assert.rejects(world.declare(source, { oci: { url }, git: { url: host.url } }), /set one of folder, git and oci/);
    },
  );

  it('is rejected by the api-server where it can hold no repository', async () => {
    const wrong = [
      [{ url: 'http://localhost/catalog.git' }, /must be an https or ssh address/],
      [{ url: 'git@-oProxyCommand=touch:catalog.git' }, /must be an https or ssh address/],
      [{ url: 'ssh://git:password@localhost/catalog.git' }, /must be an https or ssh address/],
      [{ url: 'git@localhost:catalog.git', secretRef: undefined }, /an ssh address needs secretRef/],
      [{ url: 'https://user:pass@localhost/catalog.git' }, /must not hold a user or password/],
      [{ path: '../../etc' }, /must be a path inside the repository/],
      [{ ref: { branch: '--upload-pack=touch' } }, /must be the name of a branch or tag/],
      [{ ref: { branch: 'main', tag: 'v1' } }, /set one of branch, tag, semver and commit/],
    ] as const;
    for (const [git, message] of wrong) await assert.rejects(declare(git), message);
  });
});

function ownerOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.labels?.['chandlery.dev/source'];
}

/** Whether the api-server rejects an Operator when it is really applied; one that it takes is deleted again. */
async function isRejected(text: string): Promise<boolean> {
  const { metadata, ...rest } = parse(text) as KubeObject;
  const object = { ...rest, metadata: { ...metadata, namespace: 'default' } };
  const cluster = world.kube.asController();
  try {
    await cluster.create(OPERATOR, object);
  } catch {
    return true;
  }
  await cluster.delete({ ...OPERATOR, namespace: 'default', name: object.metadata.name });
  return false;
}

function operator(name: string, more = ''): string {
  return operatorDocument(nameOf(name), more);
}

function nameOf(name: string): string {
  return `${name}-${source}`;
}

async function live(name: string): Promise<KubeObject | undefined> {
  return await world.operator(nameOf(name));
}
