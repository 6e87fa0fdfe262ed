import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { CRD, ENVIRONMENT, NAMESPACE, OPERATOR, ROLE_BINDING } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { eventually } from '../support/eventually.ts';
import { offerChart } from '../support/offer-chart.ts';
import { openKube } from '../support/open-kube.ts';
import { kindsOf } from '../support/operator-charts.ts';
import { replaceFile } from '../support/replace-file.ts';
import { RUN } from '../support/run-name.ts';
import { addEnvironment, addOperator, type SharedProduct, sharedProduct } from '../support/shared-product.ts';

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
    const [uid, people] = [await namespaceUid(), await members()];
    await kube.asController().delete({ ...ENVIRONMENT, name: home });
    await eventually(() => isReadyFor('dev-a', home), 'it is there again');
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
});
