import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { statusOf } from '../../src/domain/kind/kind.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { CATALOG_SOURCE, CRD, ENVIRONMENT, EVENT, NAMESPACE, OPERATOR, ROLE_BINDING } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND } from '../../src/domain/source/catalog-source.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { eventually } from '../support/eventually.ts';
import { offerChart } from '../support/offer-chart.ts';
import { openKube } from '../support/open-kube.ts';
import { kindsOf } from '../support/operator-charts.ts';
import { replaceFile } from '../support/replace-file.ts';
import { RUN } from '../support/run-name.ts';
import { addEnvironment, addOperator, type SharedProduct, sharedProduct } from '../support/shared-product.ts';

const HOLD = 'example.com/hold';

/** A slip in the catalogue of a running product, and the way back. */
describe('a slip in the catalogue folder', { timeout: 300_000 }, () => {
  const home = `slips-${RUN}`;
  const other = `slips-${RUN}-renamed`;
  let product: SharedProduct;
  let kube: Kube;
  const file = (): string => join(product.catalogDir, 'environments', `${home}.yaml`);

  before(async () => {
    product = await sharedProduct();
    kube = openKube(product.kubeconfigPath);
    await addEnvironment(product, home, `  namespace: ${home}\n`);
  });
  after(async () => {
    await kube.close();
    await product.stop();
  });

  const members = async (): Promise<readonly string[]> => {
    const { items } = await kube.asController().list(ROLE_BINDING, { namespace: home });
    return items.map(({ roleRef, subjects }) => stringifyJson([roleRef, subjects])).sort();
  };
  const namespaceUid = async (): Promise<string | undefined> => (await kube.asController().get({ ...NAMESPACE, name: home })).metadata.uid;
  const isReadyFor = async (person: string, name: string): Promise<boolean> =>
    at((await product.api(person, `/environments/${name}`)).body, 'ready') === true;

  it('removes nothing when a file is away for a moment', async () => {
    const [uid, people] = [(await kube.asController().get({ ...ENVIRONMENT, name: home })).metadata.uid, await members()];
    await rename(file(), `${file()}.away`);
    await eventually(async () => {
      const live = await kube.asController().get({ ...ENVIRONMENT, name: home });
      return findCondition(conditionsOf(live), 'PendingRemoval')?.status === 'True';
    }, 'the environment is pending removal');
    assert.ok(await isReadyFor('dev-a', home));
    await rename(`${file()}.away`, file());
    await eventually(async () => {
      const live = await kube.asController().get({ ...ENVIRONMENT, name: home });
      return findCondition(conditionsOf(live), 'PendingRemoval') === undefined;
    }, 'the removal is off');
    assert.equal((await kube.asController().get({ ...ENVIRONMENT, name: home })).metadata.uid, uid);
    assert.deepEqual(await members(), people);
  });

  it('moves an environment that is renamed, with its namespace and its people, and back', async () => {
    const [uid, people] = [await namespaceUid(), await members()];
    const text = (name: string): string =>
      `apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: ${name}}\nspec:\n  tier: development\n  groups: [{name: "oidc:team-a", role: developer}, {name: "oidc:platform", role: viewer}]\n  namespace: ${home}\n`;
    await replaceFile(file(), text(other));
    await eventually(() => isReadyFor('dev-a', other), 'it has its new name');
    await eventually(
      async () => (await ifFound(kube.asController().get({ ...ENVIRONMENT, name: home }))) === undefined,
      'the old one is gone',
    );
    assert.equal(await namespaceUid(), uid);
    await replaceFile(file(), text(home));
    await eventually(() => isReadyFor('dev-a', home), 'it has its old name');
    await eventually(
      async () => (await ifFound(kube.asController().get({ ...ENVIRONMENT, name: other }))) === undefined,
      'the new one is gone',
    );
    assert.equal(await namespaceUid(), uid);
    await eventually(async () => isDeepStrictEqual(await members(), people), 'its people have what they had');
  });

  it('gives an environment back that somebody deletes, by its file', async () => {
    const [uid, people, old] = [await namespaceUid(), await members(), await environmentUid()];
    await kube.asController().delete({ ...ENVIRONMENT, name: home });
    await untilAnother(old);
    assert.equal(await namespaceUid(), uid);
    await eventually(async () => isDeepStrictEqual(await members(), people), 'its people have what they had');
    await rm(`${file()}.away`, { force: true });
  });

  it('leaves an Operator and the instances of its kind as they are when its file is away for a moment', async () => {
    const name = `slip${RUN}`;
    const { kind, plural, group } = kindsOf(name);
    const app = `${plural}.${group}`;
    const instance = { group, version: 'v1', resource: plural, namespace: home, name: 'orders' };
    const [cluster, operatorFile] = [kube.asController(), join(product.catalogDir, 'operators', `${name}.yaml`)];
    await offerChart(product.chartsDir, { name, version: '1.0.0' });
    const spec = `{chart: {repoURL: "file://samples", name: ${name}, version: 1.0.0}, catalog: {kinds: [{kind: ${kind}}]}}`;
    const metadata = `{namespace: chandlery-system, name: ${name}}`;
    const text = `apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata: ${metadata}\nspec: ${spec}\n`;
    await addOperator(product, { name, text, app });
    await cluster.create(instance, {
      apiVersion: `${group}/v1`,
      kind,
      metadata: { name: instance.name, namespace: home },
      spec: { size: 3 },
    });
    const operator = async (): Promise<KubeObject> => await cluster.get({ ...OPERATOR, namespace: 'chandlery-system', name });
    await eventually(async () => numberAt(listAt((await operator()).status, 'crds')[0], 'instances') === 1, 'the instance is counted');
    const deployment = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'chandlery-system', name };
    const versions = async (): Promise<readonly unknown[]> => {
      const objects = await Promise.all([cluster.get(instance), cluster.get({ ...CRD, name: app }), cluster.get(deployment)]);
      return objects.map(({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp]);
    };
    const pending = async () => findCondition(conditionsOf(await operator()), 'PendingRemoval');
    const [before, { uid, generation }] = [await versions(), (await operator()).metadata];

    await rename(operatorFile, `${operatorFile}.away`);
    await eventually(async () => (await pending())?.reason === 'ApprovalNeeded', 'the Operator is pending removal');
    assert.match((await pending())?.message ?? '', /with 1 instance/);
    assert.equal(textAt((await product.api('dev-a', `/apps/${app}`)).body, 'availability'), 'Available');
    assert.deepEqual(await versions(), before);
    await rename(`${operatorFile}.away`, operatorFile);
    await eventually(async () => (await pending()) === undefined, 'the removal is off');
    assert.deepEqual(await versions(), before);
    assert.deepEqual([(await operator()).metadata.uid, (await operator()).metadata.generation], [uid, generation]);

    await cluster.delete(instance);
    await eventually(async () => numberAt(listAt((await operator()).status, 'crds')[0], 'instances') === 0, 'no instance is counted');
    await rm(operatorFile);
  });

  const environmentUid = async (): Promise<string | undefined> =>
    (await ifFound(kube.asController().get({ ...ENVIRONMENT, name: home })))?.metadata.uid;
  const untilAnother = async (uid: string | undefined): Promise<void> => {
    await eventually(async () => ![undefined, uid].includes(await environmentUid()), 'it is there again');
    await eventually(() => isReadyFor('dev-a', home), 'it is ready');
  };
  /** Deletes the environment while a finalizer of somebody else holds it, and resolves with the reason and the message of its condition. */
  const deleteHeld = async (annotations: object, reason: string): Promise<string> => {
    const cluster = kube.asController();
    const { finalizers = [] } = (await cluster.get({ ...ENVIRONMENT, name: home })).metadata;
    const metadata = { finalizers: [...finalizers, HOLD], annotations };
    await cluster.patch({ ...ENVIRONMENT, name: home }, { type: 'merge', body: { metadata } }, { fieldManager: 'kubectl' });
    await cluster.delete({ ...ENVIRONMENT, name: home });
    return await eventually(async () => {
      const ready = findCondition(conditionsOf(await cluster.get({ ...ENVIRONMENT, name: home })), 'Ready');
      return ready?.reason === reason ? ready.message : undefined;
    }, `the deletion waits with ${reason}`);
  };
  const release = async (): Promise<void> => {
    const ref = { ...ENVIRONMENT, name: home };
    const { finalizers = [] } = (await kube.asController().get(ref)).metadata;
    const body = { metadata: { finalizers: finalizers.filter((one) => one !== HOLD) } };
    await kube.asController().patch(ref, { type: 'merge', body });
  };
  const bindings = async (): Promise<readonly string[]> =>
    (await kube.asController().list(ROLE_BINDING, { namespace: home })).items
      .map(({ metadata }) => `${metadata.name} ${metadata.uid ?? ''}`)
      .sort();
  const faultOf = async (): Promise<string | undefined> => {
    const sources = (await kube.asController().list(CATALOG_SOURCE)).items;
    const faults = sources.flatMap((one) => statusOf(CATALOG_SOURCE_KIND, one).faults);
    return faults.find(({ resource }) => resource === `Environment ${home}`)?.message;
  };

  it('keeps an environment that is being deleted although its file is there: its namespace, and every permission without a gap', async () => {
    const ref = { ...ENVIRONMENT, name: home };
    const [uid, namespace, granted] = [await environmentUid(), await namespaceUid(), await bindings()];
    const message = await deleteHeld({}, 'KeepPending');
    assert.match(message, /^The Environment is kept as soon as it has lost the finalizers of others: example\.com\/hold/);
    await release();
    await untilAnother(uid);
    assert.equal(await namespaceUid(), namespace);
    assert.deepEqual(await bindings(), granted);
    const { metadata } = await kube.asController().get(ref);
    const owners = (await kube.asController().list(ROLE_BINDING, { namespace: home })).items.map(
      ({ metadata: { ownerReferences } }) => ownerReferences,
    );
    assert.ok(
      owners.every((one) => one?.length === 1 && one[0]?.uid === metadata.uid),
      'the new one owns them',
    );
    await eventually(async () => {
      const { items } = await kube.asController().list(EVENT, { namespace: 'default', fieldSelector: 'reason=Kept' });
      return items.some(
        (event) => textAt(event, 'involvedObject', 'uid') === metadata.uid || textAt(event, 'regarding', 'uid') === metadata.uid,
      );
    }, 'an event tells it');
    await eventually(async () => (await faultOf()) === undefined, 'its source is in step');
  });

  it('lets a deletion go on that was meant to take what depends on it, and says so at the source, until an admin keeps the environment', async () => {
    const [uid, namespace] = [await environmentUid(), await namespaceUid()];
    const message = await deleteHeld({ 'chandlery.dev/deletion-intent': 'Cascade' }, 'FinalizersRemaining');
    assert.match(message, new RegExp(`to keep it: kubectl annotate environments\\.chandlery\\.dev ${home} chandlery\\.dev/keep=true$`));
    const fault = await eventually(faultOf, 'the source says it');
    assert.match(fault, /is being deleted with what depends on it, as its deletion states; the source creates it again afterwards/);
    const keep = `/environments/${home}/keep`;
    assert.equal((await product.api('dev-a', keep, { method: 'POST' })).status, 403);
    assert.equal((await product.api('admin', keep, { method: 'POST' })).status, 202);
    await release();
    await untilAnother(uid);
    assert.equal(await namespaceUid(), namespace);
    assert.equal((await product.api('admin', keep, { method: 'POST' })).status, 409);
    const events = listAt((await product.api('admin', `/audit-events?environment=${home}`)).body, 'items');
    assert.ok(events.some((event) => textAt(event, 'action') === 'keep environment' && textAt(event, 'outcome') !== 'denied'));
  });
});
