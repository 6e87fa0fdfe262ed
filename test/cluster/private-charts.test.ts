import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles, packChart, serveHttps } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { CONFIG_MAP } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';
import { serveRegistry } from '../support/registry.ts';
import { createCosignSigner, createPgpSigner, packSigned, pushChart, signByTag } from '../support/signing.ts';
import { inAll } from '../support/test-set.ts';

const NS = `private-${RUN}`;
const PASSWORDS = ['f1rst-passw0rd', 'sec0nd-passw0rd', 'wr0ng-passw0rd'] as const;
const EVENTS: ResourceType = { group: '', version: 'v1', resource: 'events' };
const log: string[] = [];
let testCluster: TestCluster;
let world: OperatorWorld;

before(async () => {
  testCluster = await sharedCluster();
  const { kubeconfigPath, tools } = testCluster;
  const allowEgress = ['127.0.0.0/8', '::1/128'];
  world = await startOperatorWorld({ kubeconfigPath, helm: tools.helm, namespaces: NS, allowEgress, log: (text) => log.push(text) });
  await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
});
after(async () => {
  await world.stop();
  await testCluster.stop();
});

describe('a private repository', () => {
  it('installs for the permission Secret, says what a wrong one lacks, and heals when it is changed', async (t) => {
    const [first, second, wrong] = PASSWORDS;
    const site = await serveRepository(t, first);
    await put('charts', { username: 'ann', password: wrong, 'ca.crt': site.authority });
    await world.create(NS, 'vault', { chart: { repoURL: site.address, name: 'vault', version: '1.0.0', secretRef: { name: 'charts' } } });
    const reported = await world.condition(NS, 'vault', { type: 'Fetched', status: 'False', reason: 'ChartUnauthorized' });
    assert.match(
      reported.message,
      new RegExp(`answered 401; it rejected username and password of Secret "${NS}/charts"; check the Secret`),
    );
    await put('charts', { username: 'ann', password: first, 'ca.crt': site.authority });
    await world.condition(NS, 'vault', { type: 'Ready', status: 'True' });

    site.password = second;
    await ask('vault');
    await world.condition(NS, 'vault', { type: 'Fetched', status: 'False', reason: 'ChartUnauthorized' });
    const standing = await world.status(NS, 'vault');
    assert.equal(findCondition(standing.conditions, 'Ready')?.status, 'True');
    assert.equal(standing.release?.revision, 1);
    await put('charts', { username: 'ann', password: second, 'ca.crt': site.authority });
    await world.condition(NS, 'vault', { type: 'Fetched', status: 'True' });
    assert.equal((await world.status(NS, 'vault')).release?.revision, 1);
  });

  it('whose Secret is missing, or lacks a key, says which one', async (t) => {
    const [first] = PASSWORDS;
    const site = await serveRepository(t, first);
    await world.create(NS, 'late', { chart: { repoURL: site.address, name: 'vault', version: '1.0.0', secretRef: { name: 'soon' } } });
    const missing = await world.condition(NS, 'late', { type: 'Fetched', status: 'False', reason: 'ChartSecretInvalid' });
    assert.match(missing.message, new RegExp(`Secret "${NS}/soon": it does not exist, and spec\\.chart\\.secretRef names it; create it`));
    await put('soon', { username: 'ann' });
    await eventually(
      async () => findCondition((await world.status(NS, 'late')).conditions, 'Fetched')?.message.includes('it has no key "password"'),
      'the key is named',
      60,
    );
    await put('soon', { username: 'ann', password: first, 'ca.crt': site.authority });
    await world.condition(NS, 'late', { type: 'Ready', status: 'True' });
  });
});

describe('a policy for signatures', () => {
  it('of cosign stalls for an unsigned chart and for one that somebody else signed, and what runs stays', async (t) => {
    const registry = await serveRegistry(t);
    const [ann, eve] = [createCosignSigner(), createCosignSigner()];
    const digest = await pushChart(t, registry, { name: 'sign', version: '1.0.0', packed: await packed('sign', '1.0.0') });
    const [password] = PASSWORDS;
    registry.options.login = { kind: 'Token', username: 'ann', password };
    await put('registry', { username: 'ann', password, 'ca.crt': registry.authority });
    await put('signers', { 'cosign.pub': ann.publicKey });
    const chart = {
      repoURL: `oci://${registry.host}/team`,
      name: 'sign',
      version: '1.0.0',
      secretRef: { name: 'registry' },
      verify: { provider: 'Cosign', secretRef: { name: 'signers' } },
    };
    await world.create(NS, 'sign', { chart });
    const unsigned = await world.condition(NS, 'sign', { type: 'Fetched', status: 'False', reason: 'ChartUnsigned' });
    assert.match(unsigned.message, new RegExp(`no signature of cosign for its manifest ${digest}`));
    await world.condition(NS, 'sign', { type: 'Stalled', status: 'True', reason: 'ChartUnsigned' });
    assert.equal((await world.status(NS, 'sign')).release, undefined);
    signByTag(registry, ann, { repository: 'team/sign', digest });
    await ask('sign');
    await world.condition(NS, 'sign', { type: 'Ready', status: 'True' });
    const fetched = await world.condition(NS, 'sign', { type: 'Fetched', status: 'True' });
    assert.match(fetched.message, /, signed by key SHA256:[0-9a-f]{64} \(cosign\.pub\)$/);

    delete registry.options.login;
    const next = await pushChart(t, registry, { name: 'sign', version: '1.1.0', packed: await packed('sign', '1.1.0') });
    registry.options.login = { kind: 'Token', username: 'ann', password };
    signByTag(registry, eve, { repository: 'team/sign', digest: next });
    const body = { spec: { chart: { version: '1.1.0' } } };
    await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name: 'sign' }, { type: 'merge', body });
    const rejected = await world.condition(NS, 'sign', { type: 'Fetched', status: 'False', reason: 'SignatureInvalid' });
    assert.match(rejected.message, new RegExp(`none of its 1 signatures is by a key of Secret "${NS}/signers"; trusted are: key SHA256:`));
    const status = await world.status(NS, 'sign');
    assert.deepEqual([status.release?.revision, status.release?.status], [1, 'deployed']);
    await put('signers', { 'cosign.pub': ann.publicKey, 'eve.pub': eve.publicKey });
    await eventually(async () => (await world.status(NS, 'sign')).release?.revision === 2, 'the new key lets the upgrade through', 60);
  });

  it(
    'by provenance lets through what helm has signed',
    inAll('test/unit/chart/provenance.test.ts verifies the same signatures'),
    async (t) => {
      const ann = await createPgpSigner('Ann');
      const signed = await packSigned(t, { name: 'prov', version: '1.0.0', files: files('prov', '1.0.0') }, ann);
      const site = await serveHttps(t, (request, response) => {
        if (request.url === '/index.yaml') response.end(indexOf('prov'));
        else if (request.url === '/prov-1.0.0.tgz') response.end(signed.packed);
        else if (request.url === '/prov-1.0.0.tgz.prov') response.end(signed.provenance);
        else response.writeHead(404).end();
      });
      await put('authority', { 'ca.crt': site.authority });
      await put('ring', { 'pubring.gpg': Buffer.from(ann.publicRing) });
      const verify = { provider: 'Provenance', secretRef: { name: 'ring' } };
      await world.create(NS, 'prov', {
        chart: { repoURL: site.address, name: 'prov', version: '1.0.0', secretRef: { name: 'authority' }, verify },
      });
      await world.condition(NS, 'prov', { type: 'Ready', status: 'True' });
      const fetched = await world.condition(NS, 'prov', { type: 'Fetched', status: 'True' });
      assert.match(fetched.message, new RegExp(`signed by key ${ann.fingerprint} \\(Ann <ann@example\\.com>\\)`));
    },
  );

  it('and a Secret stand only where they mean something', async () => {
    const chart = { repoURL: 'file://samples', name: 'a', version: '1.0.0' };
    await assert.rejects(world.create(NS, 'odd', { chart: { ...chart, secretRef: { name: 'a' } } }), /a folder asks for no credentials/);
    const verify = { provider: 'Cosign', secretRef: { name: 'a' } };
    await assert.rejects(world.create(NS, 'odd', { chart: { ...chart, verify } }), /cosign signs in oci registries only/);
  });
});

describe('what is in those Secrets', () => {
  it('is nowhere to be read afterwards', async () => {
    const cluster = world.kube.asController();
    const everything = {
      'status and spec': stringifyJson((await cluster.list(OPERATOR, { namespace: NS })).items),
      events: stringifyJson((await cluster.list(EVENTS, { namespace: NS })).items),
      log: log.join(''),
    };
    assert.ok(everything['status and spec'].includes('ChartUnauthorized') || everything.events.includes('ChartUnauthorized'));
    assert.ok(everything.log.includes('chart fetched') || everything.log.includes('An Operator was deployed'));
    const spellings = PASSWORDS.flatMap((password) => [password, Buffer.from(`ann:${password}`).toString('base64')]);
    for (const [place, text] of Object.entries(everything)) {
      for (const spelling of spellings) assert.ok(!text.includes(spelling), `${spelling} in ${place}`);
    }
  });
});

/** A repository by https with the chart `vault`, for ann and her password of the moment. */
async function serveRepository(t: TestContext, password: string): Promise<{ address: string; authority: string; password: string }> {
  const archive = await packed('vault', '1.0.0');
  const state = { password };
  const site = await serveHttps(t, (request, response) => {
    const wanted = `Basic ${Buffer.from(`ann:${state.password}`).toString('base64')}`;
    if (request.headers.authorization !== wanted) response.writeHead(401, { 'www-authenticate': 'Basic realm="charts"' }).end();
    else response.end(request.url === '/index.yaml' ? indexOf('vault') : archive);
  });
  return Object.assign(state, site);
}

function indexOf(name: string): string {
  return `apiVersion: v1\nentries:\n  ${name}:\n    - name: ${name}\n      version: 1.0.0\n      urls: [${name}-1.0.0.tgz]\n`;
}

function files(name: string, version: string): ReturnType<typeof chartFiles> {
  return chartFiles(name, version, { 'templates/a.yaml': CONFIG_MAP });
}

function packed(name: string, version: string): Promise<Buffer> {
  return packChart(name, files(name, version));
}

async function put(name: string, texts: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  const object: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NS }, data };
  await world.kube.asController().apply(SECRET, object, { fieldManager: 'private-charts-test', force: 'force' });
}

async function ask(name: string): Promise<void> {
  const body = { metadata: { annotations: { 'chandlery.dev/reconcile-at': String(performance.now()) } } };
  await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name }, { type: 'merge', body });
}
