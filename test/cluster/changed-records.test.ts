import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { CONFIG_MAP, ROLE_BINDING, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type InstanceWorld, startInstanceWorld } from '../support/instance-world.ts';
import { inAll } from '../support/test-set.ts';

const RUN = Date.now().toString(36).slice(-5);
const NS = `records-${RUN}`;

const configMap = (name: string, annotations = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${annotations}}\ndata: {text: {{ .Values.text | quote }}}\n`;
const hook = (name: string): string => configMap(`{{ .Release.Name }}-${name}`, `, annotations: {helm.sh/hook: ${name}}`);
const CHART = {
  'values.yaml': 'text: a\n',
  'templates/config.yaml': configMap('{{ .Release.Name }}'),
  'templates/test.yaml': hook('test'),
  'templates/delete.yaml': hook('pre-delete'),
};

/** A release as Helm keeps it, as far as the attacks change it. */
interface Release {
  name: string;
  namespace: string;
  version: number;
  manifest: string;
  hooks: { name: string; kind: string; path: string; manifest: string; events: string[]; [key: string]: unknown }[];
  [key: string]: unknown;
}

const BINDING = `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: forged}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: pods}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: 'oidc:dev-a'}]
`;

describe('a release record that somebody changed', () => {
  let testCluster: TestCluster;
  let world: InstanceWorld;
  let configs: ResourceType;
  before(async () => {
    testCluster = await sharedCluster();
    world = await startInstanceWorld(testCluster, NS);
    await world.environment(NS);
    configs = await world.offer(`rec-${RUN}`, { '1.0.0': CHART });
  });
  after(async () => {
    await world?.stop();
    await testCluster?.stop();
  });

  const cluster = () => world.kube.asController();
  const releaseOf = (name: string): string => `rec${RUN}-${name}`;
  const recordOf = (name: string, revision = 1) => ({
    ...SECRET,
    namespace: NS,
    name: `sh.helm.release.v1.${releaseOf(name)}.v${revision}`,
  });
  const find = async (type: ResourceType, name: string): Promise<KubeObject | undefined> =>
    await ifFound(cluster().get({ ...type, namespace: NS, name }));
  const install = async (name: string): Promise<{ namespace: string; name: string }> => {
    const key = { namespace: NS, name };
    await world.create(configs, key);
    await world.condition(configs, key, { type: 'Ready', status: 'True' });
    return key;
  };
  const unpack = (secret: KubeObject): Release => {
    const packed = Buffer.from(Buffer.from(textAt(secret, 'data', 'release') ?? '', 'base64').toString('latin1'), 'base64');
    return JSON.parse(gunzipSync(packed).toString('utf8')) as Release;
  };
  const pack = (release: Release): string => Buffer.from(gzipSync(stringifyJson(release)).toString('base64')).toString('base64');
  const forge = async (name: string, change: (release: Release) => void, revision = 1): Promise<void> => {
    const secret = await cluster().get(recordOf(name, revision));
    const release = unpack(secret);
    change(release);
    await cluster().patch(
      recordOf(name, revision),
      { type: 'merge', body: { data: { release: pack(release) } } },
      { fieldManager: 'forger' },
    );
  };
  const withHook = (event: string) => (release: Release) => {
    const [template] = release.hooks;
    if (template === undefined) throw new Error('the chart has no hooks');
    release.hooks.push({ ...template, name: 'forged', kind: 'RoleBinding', path: 'a.yaml', manifest: BINDING, events: [event] });
  };
  const victim = async (name: string): Promise<void> =>
    void (await cluster().create(CONFIG_MAP, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NS } }));
  const manifestWith = (name: string) => (release: Release) => {
    release.manifest += `---\n# Source: a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
  };
  const rejected = { type: 'Released', status: 'False', reason: 'ReleaseRecordChanged' };
  const annotate = (key: { namespace: string; name: string }, annotations: Record<string, string>) =>
    world.merge(configs, key, { metadata: { annotations } });

  it('has no test run, says who wrote it, and is reinstalled on request', { timeout: 180_000 }, async () => {
    const key = await install('tested');
    await forge('tested', withHook('test'));
    await annotate(key, { 'chandlery.dev/test-at': 'now' });
    const { message } = await world.condition(configs, key, rejected);
    assert.match(
      message,
      /Secret "sh\.helm\.release\.v1\.rec.*-tested\.v1": revision 1 is not as Chandlery released it; the client "forger" wrote it last/,
    );
    assert.match(message, /kubectl annotate .* chandlery\.dev\/reinstall-at=/);
    const before = await find(CONFIG_MAP, releaseOf('tested'));
    await annotate(key, { 'chandlery.dev/reinstall-at': 'now' });
    await world.condition(configs, key, { type: 'Tested', status: 'True' });
    assert.equal((await find(CONFIG_MAP, releaseOf('tested')))?.metadata.uid, before?.metadata.uid, 'the object stays');
    assert.equal(await find(ROLE_BINDING, 'forged'), undefined);
  });

  it(
    'is not uninstalled by, until a person forgets the release',
    { ...inAll('it is another act on the same record'), timeout: 180_000 },
    async () => {
      const key = await install('deleted');
      await forge('deleted', withHook('pre-delete'));
      await cluster().delete({ ...configs, ...key });
      const { message } = await world.condition(configs, key, rejected);
      assert.match(message, /chandlery\.dev\/forget-release=true/);
      await annotate(key, { 'chandlery.dev/forget-release': 'true' });
      await eventually(async () => (await ifFound(cluster().get({ ...configs, ...key }))) === undefined, 'the instance is gone', 60);
      assert.notEqual(await find(CONFIG_MAP, releaseOf('deleted')), undefined, 'its objects stay');
      assert.equal(await find(ROLE_BINDING, 'forged'), undefined);
      assert.equal(await find(SECRET, recordOf('deleted').name), undefined);
    },
  );

  it('has no upgrade delete what it lists, whether it is the newest, an older or a wholly invented one', { timeout: 180_000 }, async () => {
    await victim('victim');
    const key = await install('upgraded');
    await forge('upgraded', manifestWith('victim'));
    await world.merge(configs, key, { spec: { values: { text: 'b' } } });
    await world.condition(configs, key, rejected);
    await annotate(key, { 'chandlery.dev/reinstall-at': 'now' });
    await world.condition(configs, key, { type: 'Ready', status: 'True' });
    const invented = { ...(await cluster().get(recordOf('upgraded'))) };
    const release = unpack(invented);
    manifestWith('victim')(release);
    release.name = releaseOf('invented');
    const labels = { name: release.name, owner: 'helm', status: 'deployed', version: '1' };
    const metadata = { name: recordOf('invented').name, namespace: NS, labels };
    await cluster().create(SECRET, { ...invented, metadata, data: { release: pack(release) } });
    const taken = { namespace: NS, name: 'invented' };
    await world.create(configs, { ...taken });
    const conflict = await world.condition(configs, taken, { type: 'Released', status: 'False', reason: 'ReleaseConflict' });
    assert.match(conflict.message, /objects: ConfigMap rec.*, ConfigMap victim; hooks, which will not run: ConfigMap rec.*\(pre-delete\)/);
    assert.match(conflict.message, /cannot be adopted: .*ConfigMap victim exists, and its annotations do not name this release/);
    await annotate(taken, { 'chandlery.dev/adopt-release': 'true' });
    await world.condition(configs, taken, rejected);
    assert.notEqual(await find(CONFIG_MAP, 'victim'), undefined);
  });

  it(
    'is told from one of an earlier version of Chandlery, which counts as it is on first sight if the chart has its hooks',
    { timeout: 180_000 },
    async () => {
      const key = await install('earlier');
      const digests = async () => (await world.status(configs, key)).recordDigests;
      const [first] = await digests();
      assert.equal(first?.hooks, 'Run');
      const asEarlier = async (value: string): Promise<void> => {
        await cluster().patch(
          { ...configs, ...key },
          { type: 'merge', body: { status: { recordDigests: null } } },
          { subresource: 'status' },
        );
        await annotate(key, { 'chandlery.dev/reconcile-at': value });
        await eventually(async () => (await digests()).length > 0, 'the digest is recorded', 60);
      };
      await asEarlier('one');
      assert.deepEqual(await digests(), [first]);
      await forge('earlier', withHook('test'));
      await asEarlier('two');
      assert.equal((await digests())[0]?.hooks, 'Skipped');
      await annotate(key, { 'chandlery.dev/test-at': 'now' });
      const tested = await world.condition(configs, key, { type: 'Tested', status: 'False' });
      assert.match(tested.message, /the hooks of revision 1 do not run/);
      assert.equal(await find(ROLE_BINDING, 'forged'), undefined);
    },
  );
});
