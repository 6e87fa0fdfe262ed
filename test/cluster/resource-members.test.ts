import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { parseActor } from '../../src/domain/kubernetes/actor.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { otherFieldsPatch, ownContentOf, splitContent } from '../../src/domain/instance/instance-content.ts';
import { objectAt } from '../../src/domain/core/read.ts';
import { SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import { createInstance, updateInstance } from '../../src/operation/instance/write-instance.ts';
import { findInstance, type InstanceAddress } from '../../src/operation/instance/find-instance.ts';
import type { InstanceChange } from '../../src/operation/instance/instance-change.ts';
import { listRevisions, preflightRollback, rollbackInstance } from '../../src/operation/instance/instance-history.ts';
import { preflightChange } from '../../src/operation/preflight/preflight-change.ts';
import { preflightInstance } from '../../src/operation/preflight/preflight-instance.ts';
import { showApp } from '../../src/operation/app/show-app.ts';
import { listEnvironmentResources } from '../../src/operation/environment/list-environment-resources.ts';
import { listInstances } from '../../src/operation/instance/list-instances.ts';
import { showTree } from '../../src/operation/instance/show-tree.ts';
import { showInstance } from '../../src/operation/instance/show-instance.ts';
import { placedForm } from '../../src/form/model/app-form.ts';
import { formToValues } from '../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../src/form/input/values-to-fields.ts';
import { startAppWorld, type AppWorld } from '../support/app-world.ts';
import { ASKING } from '../support/sample-audit-log.ts';

const RUN = process.pid.toString(36);
const NS = `beside-${RUN}`;
const GROUP = `${NS}.example.com`;
const DEV = parseActor(`test:dev-${RUN}`, [`test:devs-${RUN}`]);
const text = { type: 'string' };
/** Without a `spec`, as kinds of rules and data have it. */
const RULES = {
  kind: 'Rule',
  plural: 'rules',
  members: {
    data: { type: 'object', additionalProperties: text },
    auth: { type: 'object', required: ['user'], properties: { user: text, password: { type: 'string', format: 'password' } } },
    scopes: { type: 'array', items: text },
  },
  defaults: { data: { region: 'eu' }, metadata: { labels: { tier: 'bronze' } } },
  health: [
    { status: 'Missing', when: "self.data.region != 'eu'" },
    {
      status: 'Degraded',
      when: 'size(self.scopes) < 2',
      messageExpression: "self.auth.user + ' may only ' + self.scopes[0] + ' with ' + self.auth.password",
    },
  ],
} as const;
let world: AppWorld;

before(async () => {
  world = await startAppWorld({ name: NS, group: GROUP, kinds: [RULES], developer: DEV });
});
after(async () => await world.stop());

const address: InstanceAddress = { environment: NS, app: `rules.${GROUP}`, name: 'one' };
const labels = { 'team.example.com/owner': 'shop' };

describe('a kind whose members stand beside a spec', { timeout: 120_000 }, () => {
  it('is created from its form with labels, over those of the catalogue, exactly as the check shows it', async () => {
    const app = await showApp({ ...world.ports, chart: async () => undefined }, DEV, address.app);
    const model = placedForm(app, 'create');
    const wanted = { auth: { user: 'anna', password: 'hunter2' }, scopes: ['read'], metadata: { labels } };
    const { values, faults } = formToValues(model, valuesToFields(model, wanted), {});
    assert.deepEqual([values, faults], [wanted, []]);
    const draft = { ...address, ...splitContent(values) };
    const preflight = await preflightInstance(world.ports, DEV, draft);
    assert.equal(preflight.verdict, 'Ready', stringifyJson(preflight.faults));
    assert.deepEqual(
      preflight.changes.map(({ path, layer }) => `${layer} ${path}`),
      [
        'you auth.password',
        'you auth.user',
        'operator data.region',
        'operator metadata.labels.tier',
        'you metadata.labels["team.example.com/owner"]',
        'you scopes',
      ],
    );
    assert.match(preflight.commands.yaml, /tier: bronze[\s\S]*data:\n {2}region: eu/);
    assert.doesNotMatch(stringifyJson(preflight), /hunter2/);
    const made = await createInstance(world.ports, DEV, { ...draft, ...ASKING });
    assert.deepEqual(made.masked, ['auth.password']);
    const { object } = await findInstance(world.ports, DEV, address);
    assert.deepEqual(ownContentOf(object), {
      data: { region: 'eu' },
      auth: { user: 'anna', password: 'hunter2' },
      scopes: ['read'],
      metadata: { labels: { tier: 'bronze', ...labels } },
    });
    assert.equal('spec' in object, false);
  });

  it('has the health that the rules of its Operator say wherever it is shown, without its secrets', async () => {
    const [shown, { instances }, tree, { resources }] = await Promise.all([
      showInstance(world.ports, DEV, address),
      listInstances(world.ports, DEV, NS),
      showTree(world.ports, DEV, address),
      listEnvironmentResources(world.ports, DEV, { environment: NS, resource: address.app }),
    ]);
    const healths = [shown.health, instances[0]?.health, tree.root.health, tree.health, resources[0]?.health];
    for (const health of healths) {
      assert.equal(health?.status, 'Degraded');
      assert.match(health.message, /^anna may only read with (?!hunter2)/);
    }
  });

  it('is changed without touching the labels that others set meanwhile, and what is reserved is rejected', async () => {
    const shown = await showInstance(world.ports, DEV, address);
    const before = ownContentOf(shown.object);
    const wanted: JsonObject = { ...before, scopes: ['read', 'write'], metadata: { labels: { tier: 'gold' } } };
    const { ref } = await findInstance(world.ports, DEV, address);
    const type = { group: ref.group, version: ref.version, resource: ref.resource };
    const others = { 'example.com/shard': '7', 'chandlery.dev/source': 'git' };
    await world.kube
      .asController()
      .apply(
        type,
        { apiVersion: shown.object.apiVersion, kind: 'Rule', metadata: { name: 'one', namespace: NS, labels: others } },
        { fieldManager: 'sharder', force: 'force' },
      );
    const change: InstanceChange = { ...address, spec: {}, otherFields: otherFieldsPatch(before, wanted) };
    const { commands } = await preflightChange(world.ports, DEV, change);
    assert.match(commands.kubectl, /"team\.example\.com\/owner":null/);
    await updateInstance(world.ports, DEV, { ...change, ...ASKING });
    const { object } = await findInstance(world.ports, DEV, address);
    assert.deepEqual(object.metadata.labels, { tier: 'gold', ...others });
    assert.deepEqual([object['scopes'], object['auth']], [['read', 'write'], { user: 'anna', password: 'hunter2' }]);
    const mistyped = { ...address, spec: {}, otherFields: { datas: {} } };
    await assert.rejects(updateInstance(world.ports, DEV, { ...mistyped, ...ASKING }), {
      message: 'datas: A Rule has no member of this name',
    });
    for (const [name, why] of [
      ['chandlery.dev/operator', 'Chandlery sets it itself'],
      ['kubernetes.io/metadata.name', 'it is reserved for Kubernetes'],
      ['app.kubernetes.io/managed-by', 'it says which tool owns the object'],
    ] as const) {
      const taken = { ...address, spec: {}, otherFields: { metadata: { labels: { [name]: 'x' } } } };
      await assert.rejects(updateInstance(world.ports, DEV, { ...taken, ...ASKING }), (error) => {
        return isAppError(error, 'InvalidInput') && error.message.endsWith(`People cannot set ${name}: ${why}`);
      });
    }
  });

  it('is rolled back by whoever may change it, with its sensitive values of today, and nothing sensitive is kept', async () => {
    const { object: before } = await findInstance(world.ports, DEV, address);
    const [last] = (await listRevisions(world.ports, DEV, address)).revisions;
    assert.ok(last !== undefined);
    const change: InstanceChange = {
      ...address,
      spec: {},
      otherFields: { scopes: ['read', 'write', 'admin'], auth: { password: 'rotated9' } },
    };
    await updateInstance(world.ports, DEV, { ...change, ...ASKING });
    const { revisions, missing } = await listRevisions(world.ports, DEV, address);
    assert.deepEqual(missing, []);
    const [kept] = revisions;
    assert.deepEqual([kept?.user, kept?.revision, kept?.content['scopes']], [DEV.user, last.revision + 1, before['scopes']]);
    const secret = await world.kube.asController().get({ ...SECRET, namespace: NS, name: `chandlery.history.${address.app}.one` });
    assert.equal(secret.metadata.ownerReferences?.[0]?.uid, before.metadata.uid);
    const stored = Object.values(objectAt(secret, 'data')).map((value) => Buffer.from(String(value), 'base64').toString('utf8'));
    assert.doesNotMatch(stored.join(), /hunter2|rotated9/);
    const preflight = await preflightRollback(world.ports, DEV, address);
    assert.deepEqual([preflight.verdict, preflight.changes.map(({ path }) => path)], ['Ready', ['scopes']]);
    const stranger = parseActor(`test:stranger-${RUN}`, [`test:strangers-${RUN}`]);
    await assert.rejects(rollbackInstance(world.ports, stranger, { ...address, ...ASKING }), { code: 'NotFound' });
    await rollbackInstance(world.ports, DEV, { ...address, ...ASKING });
    const { object } = await findInstance(world.ports, DEV, address);
    assert.deepEqual([object['scopes'], objectAt(object, 'auth')['password']], [before['scopes'], 'rotated9']);
    await assert.rejects(rollbackInstance(world.ports, DEV, { ...address, revision: 99, ...ASKING }), { code: 'NotFound' });
  });
});
