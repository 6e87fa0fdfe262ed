import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { confirmInstallation, type Dialog } from '../../src/compose/leader/confirm-installation.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { CATALOG_SOURCE, CLUSTER_ROLE, CRD, NAMESPACE } from '../../src/domain/kubernetes/resource-types.ts';
import type { EmbeddedCluster } from '../../src/embedded/cluster/embedded-cluster.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { repoRoot, startThrowawayCluster } from '../support/cluster.ts';
import { openKube } from '../support/open-kube.ts';
import { startProduct } from '../support/product.ts';

// Runs in test:all: it starts products on clusters of its own.

// One after another: each start finds the cluster as the one before has left it.
describe('the first start on a cluster of a kubeconfig', { timeout: 120_000 }, () => {
  let cluster: EmbeddedCluster;
  let kube: Kube;
  let options: readonly string[];

  before(async () => {
    cluster = await startThrowawayCluster(await loadTools(repoRoot), undefined, { controllers: 'None' });
    kube = openKube(cluster.kubeconfigPath);
    options = ['--kubeconfig', cluster.kubeconfigPath];
  });
  after(async () => {
    await kube?.close();
    await cluster?.stop();
  });

  /** What a dialog prints, and how the start goes on, where the person answers so. */
  async function ask(answer: 'yes' | 'no', catalogDir?: string): Promise<{ readonly lines: string; readonly outcome: unknown }> {
    const lines: string[] = [];
    const confirm = async (question: string): Promise<boolean> => {
      lines.push(question);
      return answer === 'yes';
    };
    const dialog: Dialog = { note: (line) => void lines.push(line), confirm };
    const outcome: unknown = await confirmInstallation({ kube, repoRoot, adminGroups: ['oidc:platform'], catalogDir, dialog }).catch(
      (error: unknown) => error,
    );
    return { lines: lines.join('\n'), outcome };
  }

  /** What Chandlery would have created. */
  async function found(): Promise<readonly string[]> {
    const controller = kube.asController();
    const refs = [
      { ...NAMESPACE, name: 'chandlery-system' },
      { ...CRD, name: 'catalogsources.chandlery.dev' },
      { ...CLUSTER_ROLE, name: 'chandlery-admin' },
    ];
    const live = await Promise.all(refs.map(async (ref) => await ifFound(controller.get(ref))));
    return live.flatMap((object) => (object === undefined ? [] : [object.metadata.name]));
  }

  it('ends without a terminal and without --yes, and has written nothing', async () => {
    await assert.rejects(
      startProduct(options),
      /Chandlery never ran there, and there is no terminal to ask: nothing was created; start with --yes/,
    );
    assert.deepEqual(await found(), []);
  });

  it('names what it would create, asks, and writes nothing before the answer or after a no', async () => {
    const { lines, outcome } = await ask('no');
    for (const part of [
      /^Chandlery never ran in the cluster at https:\/\/127\.0\.0\.1:\d+\. It would create there:$/m,
      /^ {2}1 Namespace: chandlery-system$/m,
      /^ {2}\d+ CustomResourceDefinition: .*catalogsources\.chandlery\.dev/m,
      /^ {2}\d+ ValidatingAdmissionPolicy: chandlery-/m,
      /^ {2}\d+ ClusterRole: .*chandlery-admin/m,
      /^ {2}1 ClusterRoleBinding: chandlery-demo-admin$/m,
      /^ {2}no CatalogSource: name a folder with --catalog DIR/m,
      /^Create them\? \[y\/N\] $/m,
    ])
      assert.match(lines, part);
    assert.match(String(outcome), /you did not confirm: nothing was created/);
    assert.deepEqual(await found(), []);
  });

  it('goes on after a yes, and names the folder of the catalogue if there is one', async () => {
    const { lines, outcome } = await ask('yes', join(repoRoot, 'catalog'));
    assert.equal(outcome, 'Confirmed');
    assert.match(lines, /CatalogSource: catalog, for the folder .*catalog, whose resources it applies/);
  });

  it('with --yes installs Chandlery, but no catalogue that nobody named; the next one asks nothing', async () => {
    await (await startProduct([...options, '--yes'])).stop();
    assert.equal((await found()).length, 3);
    assert.deepEqual((await kube.asController().list(CATALOG_SOURCE)).items, []);
    await (await startProduct(options)).stop();
    assert.deepEqual(await ask('no'), { lines: '', outcome: 'Confirmed' });
  });
});
