import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { CLUSTER_ROLE_BINDING, CRD, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { crdClaimant } from '../../src/domain/operator/crd-owner.ts';
import { parseOperatorSpec } from '../../src/domain/operator/operator-spec.ts';
import { parseOperatorStatus } from '../../src/domain/operator/operator-status.ts';
import { parseActor } from '../../src/domain/kubernetes/actor.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { listInstances } from '../../src/operation/instance/list-instances.ts';
import { showTree } from '../../src/operation/instance/show-tree.ts';
import { countInstances, listOperatorInstances } from '../../src/operation/operator/list-operator-instances.ts';
import { previewOperatorDeletion } from '../../src/operation/operator/write-operator.ts';
import { preflightDeletion } from '../../src/operation/preflight/preflight-deletion.ts';
import { previewCrds } from '../../src/operation/upgrade/preview-crds.ts';
import { startAppWorld, type AppWorld } from '../support/app-world.ts';
import { eventually } from '../support/eventually.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';

// Runs in test:all: a webhook of a kind is out of service.

// Runs alone: Kubernetes cannot empty a namespace while the conversion webhook of a kind does not answer.

const RUN = process.pid.toString(36);
const NS = `dead-${RUN}`;
const GROUP = `${NS}.example.com`;
const DEV = parseActor(`test:dev-${RUN}`, [`test:devs-${RUN}`]);
const ROOT = parseActor(`test:root-${RUN}`, [`test:roots-${RUN}`]);
const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const BOXES: ResourceType = { group: GROUP, version: 'v1', resource: 'boxes' };
const PARTS: ResourceType = { group: GROUP, version: 'v1', resource: 'parts' };
const CONFIG_MAPS: ResourceType = { group: '', version: 'v1', resource: 'configmaps' };
const address = { environment: NS, app: `boxes.${GROUP}`, name: 'one' };
/** The Operator that brought both kinds. */
const operator = { namespace: NS, name: NS };
const DEAD = new RegExp(`conversion webhook of the CustomResourceDefinition parts\\.${GROUP} does not answer.*Service nowhere/converter`);

let world: AppWorld;
let operators: OperatorWorld;

before(async () => {
  const kinds = [
    { kind: 'Box', plural: 'boxes', schema: any, defaults: {} },
    { kind: 'Part', plural: 'parts', schema: any, defaults: {} },
  ];
  world = await startAppWorld({ name: NS, group: GROUP, kinds, developer: DEV });
  const cluster = world.kube.asController();
  const { object: box } = await cluster.create(BOXES, object(`${GROUP}/v1`, 'Box', 'one'));
  const owner = { apiVersion: `${GROUP}/v1`, kind: 'Box', name: 'one', uid: box.metadata.uid ?? '' };
  await cluster.create(PARTS, object(`${GROUP}/v1`, 'Part', 'lid', { ownerReferences: [owner] }));
  await cluster.create(CONFIG_MAPS, object('v1', 'ConfigMap', 'label', { ownerReferences: [owner] }));
  const subjects = [{ kind: 'Group', apiGroup: CLUSTER_ROLE_BINDING.group, name: ROOT.groups[0] }];
  const roleRef = { apiGroup: CLUSTER_ROLE_BINDING.group, kind: 'ClusterRole', name: 'cluster-admin' };
  const binding = { apiVersion: `${CLUSTER_ROLE_BINDING.group}/v1`, kind: 'ClusterRoleBinding', metadata: { name: NS }, roleRef, subjects };
  await cluster.create(CLUSTER_ROLE_BINDING, binding);
  await convertParts();
  const { kubeconfigPath, tools } = world.cluster;
  operators = await startOperatorWorld({ kubeconfigPath, helm: tools.helm, namespaces: NS });
  await eventually(async () => (await operators.status(NS, NS)).crds.length === 2, 'the Operator knows its kinds');
});
after(async () => {
  // While objects of any kind cannot be read, no namespace of the shared cluster goes away.
  const body = { spec: { conversion: { strategy: 'None', webhook: null } } };
  await world.kube.asController().patch({ ...CRD, name: `parts.${GROUP}` }, { type: 'merge', body });
  await operators.stop();
  await world.stop();
});

describe('a kind whose conversion webhook does not answer', { timeout: 120_000 }, () => {
  it('is a row of its own in the tree of an instance, which has everything else', async () => {
    const { root, unavailable } = await showTree(world.ports, DEV, address);
    assert.deepEqual(
      root.children.map(({ kind, name }) => `${kind} ${name}`),
      ['ConfigMap label'],
    );
    assert.deepEqual(
      unavailable.map(({ kind, apiVersion }) => `${kind} ${apiVersion}`),
      [`Part ${GROUP}/v2`],
    );
    assert.match(unavailable[0]?.message ?? '', DEAD);
  });

  it('is named by the check before an instance is deleted', async () => {
    const { findings } = await preflightDeletion(world.ports, DEV, address);
    assert.ok(
      findings.unchecked.some(({ message }) => message.startsWith('There may be more: Part cannot be listed: The conversion webhook')),
      stringifyJson(findings.unchecked),
    );
  });

  it('does not keep the other apps of an environment from being listed and counted', async () => {
    const { instances, unavailable } = await listInstances(world.ports, DEV, NS);
    assert.deepEqual(
      instances.map(({ app, name }) => `${app} ${name}`),
      [`boxes.${GROUP} one`],
    );
    assert.deepEqual(
      unavailable.map(({ kind }) => kind),
      ['Part'],
    );
    const counts = await countInstances(world.ports, ROOT, [`boxes.${GROUP}`, `parts.${GROUP}`]);
    assert.deepEqual(counts.get(`boxes.${GROUP}`), { count: 1 });
    assert.match(stringifyJson(counts.get(`parts.${GROUP}`)), /^\{"unavailable":/);
  });

  it('does not keep the other instances of its Operator from being listed', async () => {
    const { instances, unavailable } = await listOperatorInstances(world.ports, ROOT, operator);
    assert.deepEqual(
      instances.map(({ kind, name }) => `${kind} ${name}`),
      ['Box one'],
    );
    assert.deepEqual(
      unavailable.map(({ kind, apiVersion }) => `${kind} ${apiVersion}`),
      [`Part ${GROUP}/v2`],
    );
    assert.match(unavailable[0]?.message ?? '', DEAD);
  });

  it('has instances that an upgrade may lose, as far as anybody can tell', async () => {
    const [live, kop] = await Promise.all([
      world.kube.asController().get({ ...CRD, name: `parts.${GROUP}` }),
      world.kube.asController().get({ ...OPERATOR, ...operator }),
    ]);
    const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } };
    const versions = [{ name: 'v2', served: true, storage: true, schema: { openAPIV3Schema } }];
    const candidate = { ...live, spec: { ...(live.spec as object), versions } };
    const input = { dryRuns: { cluster: world.kube.dryRunAsController(ROOT), by: 'controller' }, crds: [], safety: 'Strict' } as const;
    const claimant = crdClaimant(operator, parseOperatorSpec(kop), parseOperatorStatus(kop));
    const { items } = await previewCrds(world.ports, ROOT, {
      ...input,
      candidates: [candidate],
      claimant,
      signal: AbortSignal.timeout(30_000),
    });
    const found = items[0]?.findings.find(({ path }) => path === 'existing instances');
    assert.equal(found?.severity, 'Incompatible');
    assert.match(found.message, /^they could not be validated: The conversion webhook/);
  });

  it('holds the deletion of its Operator, and is named where the others are counted', async () => {
    const cluster = world.kube.asController();
    const { instances, unavailable, steps } = await previewOperatorDeletion(world.ports, ROOT, operator);
    assert.deepEqual([instances, unavailable?.map(({ kind }) => kind), steps[0]?.state], [1, ['Part'], 'InProgress']);
    await cluster.delete({ ...BOXES, namespace: NS, name: 'one' });
    await cluster.delete({ ...OPERATOR, ...operator });
    const { message } = await operators.condition(NS, NS, { type: 'Deletable', status: 'False', reason: 'InstancesUnknown' });
    assert.match(message, /^The Operator waits for an unknown number of Part instances, which cannot be listed: the conversion webhook/);
    const { crds, deletion } = await operators.status(NS, NS);
    assert.deepEqual(
      crds.map(({ kind, instances: count }) => [kind, count]),
      [
        ['Box', 0],
        ['Part', undefined],
      ],
    );
    assert.deepEqual([deletion?.instances, deletion?.unavailable?.map(({ kind }) => kind)], [0, ['Part']]);
    await cluster.patch({ ...OPERATOR, ...operator }, { type: 'merge', body: { spec: { deletionPolicy: 'Orphan' } } });
    await eventually(
      async () => (await cluster.list(OPERATOR, { namespace: NS })).items.length === 0,
      'the Operator is gone, and its kinds are left',
    );
  });
});

function object(apiVersion: string, kind: string, name: string, metadata: object = {}): KubeObject {
  const spec = kind === 'ConfigMap' ? {} : { spec: {} };
  return { apiVersion, kind, metadata: { name, namespace: NS, ...metadata }, ...spec };
}

/** Objects are stored as v1, and read as v2 from now on, by a Service that is not there. */
async function convertParts(): Promise<void> {
  const openAPIV3Schema = { type: 'object', properties: { spec: any } };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v2', schema: { openAPIV3Schema } }));
  const service = { namespace: 'nowhere', name: 'converter', path: '/convert' };
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { service } } };
  await world.kube.asController().patch({ ...CRD, name: `parts.${GROUP}` }, { type: 'merge', body: { spec: { versions, conversion } } });
  // The api-server takes a moment to serve the new version, and we a moment to know it.
  await eventually(async () => {
    world.kube.invalidate();
    const kinds = await world.kube.kinds();
    return kinds.find(({ kind, group }) => kind === 'Part' && group === GROUP)?.version === 'v2';
  }, 'the second version is preferred');
  const reads = async (): Promise<unknown> => await world.kube.asController().listMetadata({ ...PARTS, version: 'v2' }, { namespace: NS });
  await eventually(
    async () =>
      await reads().then(
        () => false,
        () => true,
      ),
    'no Part can be read',
  );
}
