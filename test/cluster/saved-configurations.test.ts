import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { moveEarlierResources } from '../../src/compose/move-earlier-resources.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { EVERYBODY, parseActor } from '../../src/domain/kubernetes/actor.ts';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, NAMESPACE, SAVED_CONFIGURATION } from '../../src/domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { type SpaceOwner, spaceObjects, spaceOf } from '../../src/domain/saved-configuration/saved-configuration-space.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createLog } from '../../src/observe/log.ts';
import { openEarlierResources } from '../../src/store/earlier-resources.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { type Answer, until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';

const CACHES = 'caches.samples.chandlery.dev';
const HERE = `saved-${process.pid}`;
const SILENT = createLog({ level: 'silent', format: 'json', write: () => undefined });
const DEV_A = parseActor('oidc:dev-a', ['oidc:team-a', EVERYBODY]);
const DEV_B = parseActor('oidc:dev-b', ['oidc:team-b', EVERYBODY]);
const ADMIN = parseActor('oidc:admin', ['oidc:platform', EVERYBODY]);

describe('saved configurations as resources of the cluster', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let kube: Kube;

  before(async () => {
    const shared = await sharedProduct();
    product = { ...shared, ...checkedProduct(shared) };
    await addEnvironment(product, HERE);
    kube = openKube(shared.kubeconfigPath);
  });
  after(async () => {
    for (const { metadata } of (await kube.asController().list(SAVED_CONFIGURATION, { namespace: HERE })).items)
      await kube.asController().delete({ ...SAVED_CONFIGURATION, namespace: HERE, name: metadata.name });
    await kube.close();
    await product.stop();
  });

  const save = async (as: string, owner: object, title: string): Promise<Answer> =>
    await product.api(as, '/saved-configurations', { method: 'POST', body: { app: CACHES, title, values: { replicas: 2 }, owner } });
  const page = async (path: string): Promise<string> => {
    const headers = { authorization: `Bearer ${await product.token('dev-a')}`, accept: 'text/html' };
    return await (await fetch(`${product.origin}${path}`, { headers })).text();
  };
  const idOf = ({ body }: Answer): string => textAt(body, 'savedConfiguration', 'id') ?? '';
  const titles = async (as: string): Promise<string[]> =>
    listAt((await product.api(as, `/saved-configurations?app=${CACHES}&limit=200`)).body, 'items').map((one) => textAt(one, 'title') ?? '');
  const resource = (namespace: string, name: string, spec: object): KubeObject => ({
    apiVersion: apiVersionOf(SAVED_CONFIGURATION),
    kind: SAVED_CONFIGURATION.kind,
    metadata: { namespace, name },
    spec: { app: CACHES, title: name, ...spec },
  });
  const code = async (act: Promise<unknown>): Promise<string> => {
    try {
      await act;
      return 'done';
    } catch (error) {
      return isAppError(error) ? error.code : assert.fail(String(error));
    }
  };
  const listed = async (actor: typeof DEV_A, owner: SpaceOwner): Promise<string> =>
    await code(kube.asActor(actor).list(SAVED_CONFIGURATION, { namespace: spaceOf(owner) }));

  it('shows those of a person, a group and everybody to whom they are for: by REST and with their own permissions at the api-server', async () => {
    const ours = ['all', 'dev-a', 'team-a', 'the environment'].map((whom) => `For ${whom} ${process.pid}`);
    const [forAll = '', forPerson = '', forGroup = '', forEnvironment = ''] = ours;
    const made = await Promise.all([
      save('dev-a', { user: 'oidc:dev-a' }, forPerson),
      save('dev-a', { group: 'oidc:team-a' }, forGroup),
      save('dev-a', { group: EVERYBODY }, forAll),
      save('dev-a', { environment: HERE }, forEnvironment),
    ]);
    assert.deepEqual(
      made.map(({ status }) => status),
      [201, 201, 201, 201],
      stringifyJson(made.map(({ body }) => body)),
    );
    assert.deepEqual(
      (await titles('dev-a')).filter((title) => ours.includes(title)),
      ours,
    );
    assert.deepEqual(
      (await titles('dev-b')).filter((title) => ours.includes(title)),
      [forAll],
    );
    for (const [owner, a, b, admin] of [
      [{ user: 'oidc:dev-a' }, 'done', 'Forbidden', 'Forbidden'],
      [{ group: 'oidc:team-a' }, 'done', 'Forbidden', 'Forbidden'],
      [{ group: EVERYBODY }, 'done', 'done', 'done'],
    ] as const) {
      assert.deepEqual(
        [await listed(DEV_A, owner), await listed(DEV_B, owner), await listed(ADMIN, owner)],
        [a, b, admin],
        JSON.stringify(owner),
      );
    }
    for (const one of made) {
      const path = `/saved-configurations/${idOf(one)}`;
      const shown = await product.api('dev-a', path);
      assert.deepEqual([shown.status, at(shown.body, 'owner')], [200, at(one.body, 'savedConfiguration', 'owner')]);
      assert.equal((await product.api('dev-b', path)).status, textAt(shown.body, 'title') === forAll ? 200 : 404);
    }
    const all = { ...SAVED_CONFIGURATION, namespace: spaceOf({ group: EVERYBODY }), name: idOf(made[2]) };
    const patch = { type: 'merge', body: { spec: { title: 'Taken' } } } as const;
    assert.equal(await code(kube.asActor(DEV_B).patch(all, patch)), 'AdmissionDenied');
    assert.equal(await code(kube.asActor(DEV_B).delete(all)), 'AdmissionDenied');
    assert.equal(await code(kube.asActor(ADMIN).patch(all, patch)), 'done');
    for (const one of made)
      assert.equal((await product.api('dev-a', `/saved-configurations/${idOf(one)}`, { method: 'DELETE' })).status, 200);
  });

  it('lets nobody sign for somebody else, claim a namespace, or keep one from being deleted', async () => {
    const cluster = kube.asActor(DEV_A);
    const create = async (name: string, spec: object, metadata: object = {}): Promise<string> => {
      const object = resource(HERE, name, spec);
      return await code(cluster.create(SAVED_CONFIGURATION, { ...object, metadata: { ...object.metadata, ...metadata } }));
    };
    assert.equal(await create('forged', { author: 'oidc:admin' }), 'AdmissionDenied');
    assert.equal(await create('held', {}, { finalizers: ['example.com/held'] }), 'AdmissionDenied');
    assert.equal(await create('own', { author: 'oidc:dev-a' }), 'done');
    const own = { ...SAVED_CONFIGURATION, namespace: HERE, name: 'own' };
    assert.equal(await code(cluster.patch(own, { type: 'merge', body: { spec: { author: 'oidc:admin' } } })), 'AdmissionDenied');
    const { namespace } = spaceObjects({ user: 'oidc:nobody-yet' });
    const operator = parseActor('example:operator', ['example:operators']);
    const claims = `saved-claims-${process.pid}`;
    const grant = namespaceCreators(claims, operator.user);
    await kube.asController().create(CLUSTER_ROLE, grant.role);
    await kube.asController().create(CLUSTER_ROLE_BINDING, grant.binding);
    const bare = { ...namespace, metadata: { name: claims } };
    const creates = async (object: KubeObject): Promise<string> =>
      await code(kube.asActor(operator).create(NAMESPACE, object, { dryRun: 'All' }));
    await until(async () => (await creates(bare)) === 'done', 'namespaces can be created');
    assert.equal(await creates(namespace), 'AdmissionDenied');
    await kube.asController().delete({ ...CLUSTER_ROLE_BINDING, name: claims });
    await kube.asController().delete({ ...CLUSTER_ROLE, name: claims });
  });

  it('shows what kubectl applied on the install page, with its faults, and rejects what the CRD can', async () => {
    const cluster = kube.asActor(DEV_A);
    await cluster.create(SAVED_CONFIGURATION, resource(HERE, 'from-git', { title: 'From git', values: { replicas: 3 } }));
    await cluster.create(SAVED_CONFIGURATION, resource(HERE, 'stray', { app: 'nothing.example.com', values: { password: 'hunter2' } }));
    assert.equal(await code(cluster.create(SAVED_CONFIGURATION, resource(HERE, 'bad', { values: 'text' }))), 'InvalidInput');
    assert.match(await page(`/apps/${CACHES}/install`), new RegExp(`saved-configuration(=|&#x3D;)${HERE}\\.from-git">From git<`));
    assert.match(
      await page(`/apps/${CACHES}/saved-configurations`),
      new RegExp(`${HERE}\\.stray</code>: the catalogue has no app &quot;nothing\\.example\\.com&quot;`),
    );
    const form = await page(`/apps/${CACHES}/install?saved-configuration=${HERE}.from-git`);
    assert.match(form, /name="v\.spec\.replicas"[^>]*value="3"/);
    const stray = (await product.api('dev-a', `/saved-configurations/${HERE}.stray`)).body;
    assert.deepEqual([at(stray, 'values'), textAt(stray, 'fault', 'kind')], [{}, 'UnknownApp']);
  });

  it('moves those of an earlier version, once', async () => {
    const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-earlier-'));
    const time = '2026-01-01T00:00:00.000Z';
    const entry = (id: string, change: object): object => ({
      id,
      app: CACHES,
      title: `Moved ${id.slice(0, 1)}`,
      description: '',
      values: { replicas: 2 },
      created: time,
      updated: time,
      version: 1,
      ...change,
    });
    const [mine, ours] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
    const group = { group: 'oidc:team-a' };
    const savedConfigurations = {
      [mine]: entry(mine, { owner: { user: 'oidc:dev-a' }, author: 'oidc:dev-a', version: 3 }),
      [ours]: entry(ours, { owner: group }),
      wrong: entry('wrong', { owner: { user: 'system:admin' } }),
    };
    const savedConfigurationVersions = { [mine]: [entry(mine, { title: 'Before', version: 2 })] };
    await writeFile(join(folder, 'store.saved-configurations.json'), stringifyJson({ savedConfigurations, savedConfigurationVersions }));
    for (const left of [3, 1]) {
      const earlierConfigurations = await openEarlierResources({
        file: join(folder, 'store.json'),
        name: 'saved-configurations',
        tables: ['savedConfigurations', 'savedConfigurationVersions'],
      });
      assert.equal(earlierConfigurations.entries.length, left);
      await moveEarlierResources(
        { kube, earlierConfigurations, clusterUid: () => Promise.resolve('a'), log: SILENT },
        new AbortController().signal,
      );
    }
    await rm(folder, { recursive: true });
    const { body } = await product.api('dev-a', `/saved-configurations/${mine}`);
    assert.deepEqual([textAt(body, 'author'), numberAt(body, 'version')], ['oidc:dev-a', 3]);
    const versions = listAt((await product.api('dev-a', `/saved-configurations/${mine}/versions`)).body, 'items');
    assert.deepEqual(
      versions.map((one) => [textAt(one, 'title'), numberAt(one, 'version')]),
      [['Before', 2]],
    );
    assert.deepEqual(at((await product.api('dev-a', `/saved-configurations/${ours}`)).body, 'owner'), group);
    for (const id of [mine, ours])
      assert.equal((await product.api('dev-a', `/saved-configurations/${id}`, { method: 'DELETE' })).status, 200);
  });
});

function namespaceCreators(name: string, user: string): { readonly role: KubeObject; readonly binding: KubeObject } {
  const { group: apiGroup } = CLUSTER_ROLE;
  const head = { apiVersion: apiVersionOf(CLUSTER_ROLE), metadata: { name } };
  return {
    role: { ...head, kind: CLUSTER_ROLE.kind, rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['create'] }] },
    binding: {
      ...head,
      kind: CLUSTER_ROLE_BINDING.kind,
      roleRef: { apiGroup, kind: CLUSTER_ROLE.kind, name },
      subjects: [{ apiGroup, kind: 'User', name: user }],
    },
  };
}
