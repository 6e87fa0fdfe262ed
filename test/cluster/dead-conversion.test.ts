import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CRD } from '../../src/domain/kubernetes/resource-types.ts';
import { parseActor } from '../../src/domain/kubernetes/actor.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { listInstances } from '../../src/operation/instance/list-instances.ts';
import { showTree } from '../../src/operation/instance/show-tree.ts';
import { countInstances } from '../../src/operation/operator/count-instances.ts';
import { preflightDeletion } from '../../src/operation/preflight/preflight-deletion.ts';
import { startAppWorld, type AppWorld } from '../support/app-world.ts';
import { eventually } from '../support/eventually.ts';

const RUN = process.pid.toString(36);
const NS = `dead-${RUN}`;
const GROUP = `${NS}.example.com`;
const DEV = parseActor(`test:dev-${RUN}`, [`test:devs-${RUN}`]);
const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const BOXES: ResourceType = { group: GROUP, version: 'v1', resource: 'boxes' };
const PARTS: ResourceType = { group: GROUP, version: 'v1', resource: 'parts' };
const CONFIG_MAPS: ResourceType = { group: '', version: 'v1', resource: 'configmaps' };
const address = { environment: NS, app: `boxes.${GROUP}`, name: 'one' };

let world: AppWorld;

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
  await convertParts();
});
after(async () => {
  // While objects of any kind cannot be read, no namespace of the shared cluster goes away.
  const body = { spec: { conversion: { strategy: 'None', webhook: null } } };
  await world.kube.asController().patch({ ...CRD, name: `parts.${GROUP}` }, { type: 'merge', body });
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
    const sentence = new RegExp(
      `conversion webhook of the CustomResourceDefinition parts\\.${GROUP} does not answer.*Service nowhere/converter`,
    );
    assert.match(unavailable[0]?.message ?? '', sentence);
  });

  it('is named by the check before an instance is deleted', async () => {
    const { findings } = await preflightDeletion(world.ports, DEV, address);
    assert.ok(
      findings.unchecked.some(({ message }) => message.startsWith('There may be more: Part cannot be listed: The conversion webhook')),
      JSON.stringify(findings.unchecked),
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
    const admin = { ...world.ports, clusters: { ...world.ports.clusters, asActor: () => world.ports.clusters.asController() } };
    const counts = await countInstances(admin, DEV, [`boxes.${GROUP}`, `parts.${GROUP}`]);
    assert.deepEqual(counts.get(`boxes.${GROUP}`), { count: 1 });
    assert.match(JSON.stringify(counts.get(`parts.${GROUP}`)), /^\{"unavailable":/);
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
