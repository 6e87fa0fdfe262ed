import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import { ROLE_BINDING } from '../../src/domain/kubernetes/resource-types.ts';
import { openKube } from '../support/open-kube.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { ownPerson, type OwnPerson } from '../support/own-person.ts';
import { until, type Answer } from '../support/product.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';

const CACHES = 'caches.samples.chandlery.dev';
const NAME = `by-rest-${process.pid}`;
const PATH = `/environments/${NAME}`;

const manifest = (name: string, spec: object, metadata: object = {}): object => ({
  apiVersion: 'chandlery.dev/v1alpha1',
  kind: 'Environment',
  metadata: { name, ...metadata },
  spec,
});
const SPEC = { tier: 'testing', groups: [{ name: 'oidc:team-a', role: 'developer' }], quota: { 'count/pods': 20 } };

describe('Environments over REST', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  /** A colleague of dev-a, of whom the audit log records each rejection. */
  let developer: OwnPerson;
  const post = async (as: string, body: object, query = ''): Promise<Answer> =>
    await product.api(as, `/environments${query}`, { method: 'POST', body });
  const faults = ({ body }: Answer): (string | undefined)[] => listAt(body, 'faults').map((fault) => textAt(fault, 'field'));
  /** What the page of permissions has of the environment, on whichever page of the list: others add environments meanwhile. */
  const permissions = async (as: string, after = ''): Promise<unknown> => {
    const { body } = await product.api(as, `/me/permissions?limit=100${after}`);
    const [row, next] = [listAt(body, 'items').find((one) => textAt(one, 'environment') === NAME), textAt(body, 'next')];
    return row !== undefined || next === undefined ? row : await permissions(as, `&after=${next}`);
  };

  /** Changes exactly what was read, and reads it again while the controller reports its status. */
  async function asRead(act: (headers: { 'If-Match': string }) => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const etag = (await product.api('admin', PATH)).headers.get('etag') ?? '';
      const done = await act({ 'If-Match': etag });
      if (done.status !== 412 || attempt === 20) return done;
    }
  }

  before(async () => {
    const shared = await sharedProduct();
    product = { ...shared, ...checkedProduct(shared) };
    developer = await ownPerson(product, `developer-${process.pid}`, ['team-a']);
  });
  after(async () => {
    await product.stop();
  });

  it('tells a developer which permission is missing, with the grant, and writes nothing', async () => {
    const rejected = await developer.api('/environments', { method: 'POST', body: manifest(NAME, SPEC) });
    assert.deepEqual([rejected.status, textAt(rejected.body, 'missing', 'resource')], [403, 'environments']);
    const dry = await post('dev-a', manifest(NAME, SPEC), '?dryRun=All');
    assert.equal(textAt(dry.body, 'verdict'), 'Blocked');
    assert.match(textAt(dry.body, 'grant') ?? '', /kind: ClusterRole\n[^]*- environments\n[^]*- create/);
    assert.equal((await product.api('admin', PATH)).status, 404);
  });

  it('names the field of each fault, and whose a namespace is', async () => {
    const wrong = await post('admin', manifest(NAME, { ...SPEC, tier: 'Not a tier' }));
    assert.equal(wrong.status, 422);
    assert.equal(textAt(wrong.body, 'errors', 0, 'field'), 'spec.tier');
    assert.deepEqual(faults(await post('admin', manifest(NAME, { ...SPEC, tier: 'Not a tier' }), '?dryRun=All')), ['spec.tier']);
    const operator = (await product.api('admin', '/operators/chandlery-system/cache')).body;
    for (const [namespace, why] of [
      ['team-a', /belongs to the Environment team-a/],
      ['kube-node-lease', /cannot be the namespace/],
      [textAt(operator, 'release', 'namespace'), /used by the Operator chandlery-system\/cache/],
    ] as const) {
      const dry = await post('admin', manifest(NAME, { ...SPEC, namespace }), '?dryRun=All');
      assert.match(textAt(dry.body, 'faults', 0, 'message') ?? '', why);
    }
    const reserved = await post('admin', manifest(NAME, SPEC, { labels: { 'chandlery.dev/source': 'catalog' } }));
    assert.equal(textAt(reserved.body, 'errors', 0, 'field'), 'metadata.labels["chandlery.dev/source"]');
  });

  it('creates an environment in which a member of its group installs an app', async () => {
    const dry = await post('admin', manifest(NAME, SPEC), '?dryRun=All');
    assert.equal(textAt(dry.body, 'verdict'), 'Ready', stringifyJson(dry.body));
    const created = listAt(dry.body, 'findings', 'created').map((finding) => textAt(finding, 'message'));
    assert.deepEqual(created, [`Environment ${NAME}`, `The namespace ${NAME}`]);
    assert.equal(textAt(dry.body, 'commands', 'file'), `environments/${NAME}.yaml`);
    const made = await post('admin', manifest(NAME, SPEC));
    assert.deepEqual([made.status, made.headers.get('location')], [201, `/api/v1${PATH}`], stringifyJson(made.body));
    assert.deepEqual(objectAt(made.body, 'object', 'spec', 'quota'), SPEC.quota);
    assert.equal((await post('admin', manifest(NAME, SPEC))).status, 409);
    await until(async () => at((await product.api('dev-a', PATH)).body, 'ready') === true, 'dev-a sees the environment');
    const install = { method: 'POST', body: { app: CACHES, name: 'orders', spec: {} } };
    await until(
      async () => textAt((await product.api('dev-a', `${PATH}/instances?dryRun=All`, install)).body, 'verdict') === 'Ready',
      'dev-a can install',
    );
    assert.equal((await product.api('dev-a', `${PATH}/instances`, install)).status, 201);
    assert.equal((await product.api('dev-b', PATH)).status, 404);
  });

  it('changes it for the version that was read, by patch and by replacement, and no developer does', async () => {
    const tier = { spec: { tier: 'staging' } };
    const patch = async (body: object, headers: Record<string, string> = {}, query = ''): Promise<Answer> =>
      await product.api('admin', `${PATH}${query}`, { method: 'PATCH', body, headers });
    assert.equal((await developer.api(PATH, { method: 'PATCH', body: tier })).status, 403);
    const dry = await patch(tier, {}, '?dryRun=All');
    assert.deepEqual(
      listAt(dry.body, 'changes').map((change) => [textAt(change, 'path'), textAt(change, 'from'), textAt(change, 'to')]),
      [['spec.tier', 'testing', 'staging']],
    );
    const command = textAt(dry.body, 'commands', 'kubectl') ?? '';
    assert.match(command, new RegExp(`^kubectl patch environments\\.chandlery\\.dev ${NAME} --type merge`));
    assert.equal((await patch(tier, { 'If-Match': '"other"' })).status, 412);
    const patched = await asRead(async (headers) => await patch({ ...tier, metadata: { labels: { cost: 'a' } } }, headers));
    assert.deepEqual([patched.status, textAt(patched.body, 'tier')], [200, 'staging'], stringifyJson(patched.body));
    const replaced = await asRead(
      async (headers) => await product.api('admin', PATH, { method: 'PUT', body: { spec: { groups: SPEC.groups } }, headers }),
    );
    assert.deepEqual([textAt(replaced.body, 'tier'), textAt(replaced.body, 'object', 'metadata', 'labels', 'cost')], ['development', 'a']);
    await patch({ spec: { allowedApps: { deny: [CACHES] } } });
    const denied = listAt(await permissions('dev-a'), 'apps').find((app) => textAt(app, 'app') === CACHES);
    assert.equal(textAt(denied, 'obstacles', 0, 'kind'), 'AllowedApps');
    await patch({ spec: { allowedApps: null } });
    const moved = await patch({ spec: { namespace: 'elsewhere' } });
    assert.deepEqual([moved.status, textAt(moved.body, 'code')], [422, 'InvalidInput']);
  });

  it('tells everybody what they can install where, by which group, and what would grant the rest', async () => {
    const cacheIn = (row: unknown): unknown => listAt(row, 'apps').find((app) => textAt(app, 'app') === CACHES);
    const mine = await permissions('dev-a');
    assert.deepEqual(
      listAt(mine, 'roles').map((role) => [textAt(role, 'role'), textAt(role, 'subject', 'name'), at(role, 'managed')]),
      [['developer', 'oidc:team-a', true]],
    );
    assert.equal(at(cacheIn(mine), 'allowed'), true);
    assert.equal(await permissions('dev-b'), undefined);
    const theirs = cacheIn(await permissions('admin'));
    assert.deepEqual([at(theirs, 'allowed'), textAt(theirs, 'obstacles', 0, 'kind')], [false, 'Permission']);
    const grant = `--clusterrole=chandlery-app-${CACHES}-edit --user=oidc:admin --namespace=${NAME}`;
    assert.ok((textAt(theirs, 'remedy', 'kubectl') ?? '').includes(grant), textAt(theirs, 'remedy', 'kubectl'));
  });

  it('lists the members of an environment for whoever may list its bindings, and marks bindings of others', async () => {
    const kube = openKube(product.kubeconfigPath);
    const cluster = kube.asController();
    const rbac = 'rbac.authorization.k8s.io';
    await cluster.create(ROLE_BINDING, {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'by-hand', namespace: NAME },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', apiGroup: rbac, name: 'oidc:auditor' }],
    });
    await kube.close();
    const { body } = await product.api('dev-a', `${PATH}/members`);
    const members = listAt(body, 'members').map((one) => [textAt(one, 'roleName'), textAt(one, 'subject', 'name'), textAt(one, 'origin')]);
    assert.deepEqual(members, [
      ['developer', 'oidc:team-a', 'Group'],
      ['ClusterRole chandlery-deployer', 'chandlery-deployer', 'Deployer'],
      ['ClusterRole chandlery-network-deployer', 'chandlery-deployer', 'Deployer'],
      ['ClusterRole view', 'oidc:auditor', 'Other'],
    ]);
    assert.equal(at(body, 'recent'), undefined);
    const admins = (await product.api('admin', `${PATH}/members`)).body;
    assert.equal(textAt(admins, 'missing', 'resource'), 'rolebindings');
    assert.ok(listAt(admins, 'recent').some((one) => textAt(one, 'user') === 'oidc:dev-a'));
    assert.equal((await product.api('dev-b', `${PATH}/members`)).status, 404);
  });

  it('answers an admin why somebody may do something or not, with what decides and what would help', async () => {
    const ask = async (as: string, question: object): Promise<Answer> =>
      await product.api(as, '/access-reviews', {
        method: 'POST',
        body: { verb: 'create', resource: CACHES, environment: NAME, ...question },
      });
    const may = (await ask('admin', { user: 'oidc:dev-a', groups: ['oidc:team-a'] })).body;
    assert.equal(at(may, 'allowed'), true);
    assert.match(
      textAt(may, 'reason') ?? '',
      new RegExp(`RoleBinding "chandlery-developer/${NAME}" of ClusterRole "chandlery-developer" to Group "oidc:team-a"`),
    );
    const mayNot = (await ask('admin', { user: 'oidc:dev-b', groups: ['oidc:team-b'] })).body;
    assert.deepEqual([at(mayNot, 'allowed'), textAt(mayNot, 'role')], [false, 'developer']);
    assert.ok(listAt(mayNot, 'grants').every((grant) => at(grant, 'allows') === false));
    assert.equal(textAt(mayNot, 'missing', 0, 'resource'), 'rolebindings');
    assert.match(textAt(mayNot, 'remedy', 'yaml') ?? '', /chandlery-app-caches\.samples\.chandlery\.dev-edit/);
    assert.equal(
      textAt(mayNot, 'kubectl'),
      `kubectl auth can-i create ${CACHES} --namespace ${NAME} --as oidc:dev-b --as-group oidc:team-b`,
    );
    const admins = { user: 'oidc:admin', groups: ['oidc:platform'], verb: 'list', resource: 'operators.operatorcontroller.kubeplus' };
    const wide = (await product.api('admin', '/access-reviews', { method: 'POST', body: admins })).body;
    assert.ok(listAt(wide, 'grants').some((grant) => textAt(grant, 'role') === 'chandlery-admin' && at(grant, 'allows') === true));
    const wrong = await ask('admin', { user: 'oidc:dev-b', resource: 'No Such Thing' });
    assert.deepEqual([wrong.status, textAt(wrong.body, 'errors', 0, 'field')], [422, 'resource']);
    const rejected = await ask('dev-a', { user: 'oidc:dev-b' });
    assert.deepEqual([rejected.status, textAt(rejected.body, 'missing', 'resource')], [403, 'subjectaccessreviews']);
  });

  it('names the source that keeps an Environment in step', async () => {
    const { body } = await product.api('admin', '/environments/team-a/owner');
    assert.deepEqual([textAt(body, 'owner', 'tool'), textAt(body, 'owner', 'name')], ['CatalogSource', 'catalog']);
    assert.deepEqual((await product.api('admin', `${PATH}/owner`)).body, { sources: [] });
  });

  it('previews a deletion with what goes and stays, and deletes', async () => {
    const preview = await product.api('admin', `${PATH}?dryRun=All`, { method: 'DELETE' });
    assert.deepEqual([textAt(preview.body, 'reclaim'), at(preview.body, 'reserved')], ['Retain', true]);
    assert.deepEqual(at(preview.body, 'instances'), [{ resource: CACHES, kind: 'Cache', count: 1, names: ['orders'] }]);
    assert.deepEqual(at(preview.body, 'members'), [{ kind: 'Group', name: 'oidc:team-a', role: 'developer' }]);
    assert.ok(listAt(preview.body, 'missing').some((one) => textAt(one, 'resource') === 'persistentvolumeclaims'));
    const seen = await product.api('dev-a', `${PATH}?dryRun=All`, { method: 'DELETE' });
    assert.equal(at(seen.body, 'volumeClaims', 'kind'), 'PersistentVolumeClaim');
    assert.equal((await developer.api(PATH, { method: 'DELETE' })).status, 403);
    const slip = async (): Promise<Answer> => await product.api('admin', PATH, { method: 'DELETE' });
    await until(async () => at((await product.api('admin', PATH)).body, 'object', 'status', 'instances') === 1, 'its instance is counted');
    const rejected = await slip();
    assert.deepEqual([rejected.status, textAt(rejected.body, 'code')], [422, 'AdmissionDenied']);
    assert.match(textAt(rejected.body, 'detail') ?? '', /has 1 instance, which would keep running without the permissions of its people/);
    const deleted = await product.api('admin', `${PATH}?intent=Orphan`, { method: 'DELETE' });
    assert.deepEqual([deleted.status, deleted.headers.get('location')], [202, `/api/v1${PATH}`]);
    await until(async () => (await product.api('admin', PATH)).status === 404, 'the environment is gone');
    const dry = await post('admin', manifest(`${NAME}-2`, { ...SPEC, namespace: NAME }), '?dryRun=All');
    assert.match(textAt(dry.body, 'faults', 0, 'message') ?? '', /exists already; choose another one, or adopt it/);
    const { body } = await product.api('admin', `/audit-events?environment=${NAME}`);
    const actions = listAt(body, 'items').map((entry) => `${textAt(entry, 'outcome') ?? ''} ${textAt(entry, 'action') ?? ''}`);
    for (const action of ['create', 'update', 'delete']) {
      assert.ok(actions.includes(`succeeded ${action} environment`) && actions.includes(`rejected ${action} environment`), action);
    }
  });
});
