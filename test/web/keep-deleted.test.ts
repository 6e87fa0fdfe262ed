import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { findCondition, conditionsOf } from '../../src/domain/kubernetes/condition.ts';
import { type Cluster, ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { apiVersionOf, type KubeObject, type ResourceRef } from '../../src/domain/kubernetes/resource.ts';
import {
  APP_DEFINITION,
  CATALOG_SOURCE,
  CRD,
  ENVIRONMENT,
  type KnownType,
  NAMESPACE,
  OPERATOR,
  SECRET,
} from '../../src/domain/kubernetes/resource-types.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';
import { appDefinitionPath } from '../../src/web/page/paths.ts';
import { openBrowser } from '../support/browser.ts';
import { chartFiles, packChart, writeFiles } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import { offerChart } from '../support/offer-chart.ts';
import { kindsOf } from '../support/operator-charts.ts';
import { openKube } from '../support/open-kube.ts';
import { ownEnvironment } from '../support/own-source.ts';
import { RUN } from '../support/run-name.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

// Runs in test:all: test/cluster/deletion-policy.test.ts cancels deletions in npm test.

const FOREIGN = 'example.com/holds';
const OURS = 'chandlery.dev/finalizer';
const NAME = `kept${RUN}`;
const { plural, group } = kindsOf(NAME);
const APP = `keptapp${RUN}`;
const CHART = { repoURL: 'file://samples', name: NAME, version: '1.0.0' };

interface Case {
  readonly type: KnownType;
  readonly namespace?: string;
  readonly spec: (product: SharedProduct) => object;
  readonly path: string;
  /** What it has brought, and must not lose. */
  readonly brought: ResourceRef;
}

const CASES: readonly Case[] = [
  {
    type: OPERATOR,
    namespace: 'chandlery-system',
    spec: () => ({ chart: CHART, values: { replicas: 0 }, deletionPolicy: 'Orphan' }),
    path: `/operators/chandlery-system/${NAME}`,
    brought: { ...CRD, name: `${plural}.${group}` },
  },
  {
    type: APP_DEFINITION,
    spec: () => ({
      chart: { ...CHART, name: APP },
      deletionPolicy: 'Orphan',
      names: { kind: `Kept${RUN}`, plural: `${APP}s`, singular: APP },
    }),
    path: appDefinitionPath(NAME),
    brought: { ...CRD, name: `${APP}s.apps.chandlery.dev` },
  },
  {
    type: ENVIRONMENT,
    spec: () => ({ tier: 'testing', reclaim: 'Retain' }),
    path: `/environments/${NAME}/delete`,
    brought: { ...NAMESPACE, name: NAME },
  },
  {
    type: CATALOG_SOURCE,
    spec: ({ folder }) => ({ folder: { path: join(folder, 'sources', NAME) }, prune: false }),
    path: `/sources/${NAME}`,
    brought: { ...ENVIRONMENT, name: `${NAME}-inside` },
  },
];

describe('the page of what is being deleted, while another client holds it', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  let cluster: Cluster;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    cluster = openKube(product.kubeconfigPath).asController();
    await offerChart(product.chartsDir, { name: NAME, version: '1.0.0' });
    await writeFile(join(product.chartsDir, `${APP}-1.0.0.tgz`), await packChart(APP, chartFiles(APP, '1.0.0')));
    await writeFiles(join(product.folder, 'sources', NAME), { 'inside.yaml': ownEnvironment(`${NAME}-inside`) });
  });
  after(async () => {
    for (const { type, namespace } of CASES) await remove({ ...type, name: NAME, ...(namespace === undefined ? {} : { namespace }) });
    await remove({ ...ENVIRONMENT, name: `${NAME}-inside` });
    await browser.close();
    await product.stop();
  });

  const remove = async (ref: ResourceRef): Promise<void> => {
    const object = await ifFound(cluster.get(ref));
    if (object !== undefined) await deleteWithIntent(cluster, { type: ref, object });
  };

  for (const { type, namespace, spec, path, brought } of CASES) {
    it(`keeps the ${type.kind} until the last finalizer is gone, with all that it has brought`, async () => {
      const own: ResourceRef = { ...type, name: NAME, ...(namespace === undefined ? {} : { namespace }) };
      const metadata = { name: NAME, ...(namespace === undefined ? {} : { namespace }), finalizers: [FOREIGN] };
      await cluster.create(type, { apiVersion: apiVersionOf(type), kind: type.kind, metadata, spec: spec(product) });
      await untilReady(own);
      const [uid, uidOfBrought] = [(await cluster.get(own)).metadata.uid, (await cluster.get(brought)).metadata.uid];
      await cluster.delete(own);
      await untilDeletable(own, 'FinalizersRemaining');

      const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
      await visitor.page.goto(path);
      await visitor.page.getByText(`waits for the finalizers ${FOREIGN}`).first().waitFor();
      await visitor.page.getByRole('button', { name: 'Keep' }).first().click();
      await untilDeletable(own, 'KeepPending');
      await visitor.close();
      await cluster.patch(own, { type: 'merge', body: { metadata: { finalizers: [OURS] } } });

      const again = await untilReady(own, uid);
      assert.equal(again.metadata.deletionTimestamp, undefined);
      assert.equal((await cluster.get(brought)).metadata.uid, uidOfBrought);
      const record = { ...SECRET, namespace: 'chandlery-system', name: `kept-${uid}` };
      await eventually(async () => (await ifFound(cluster.get(record))) === undefined, 'the record is gone');
    });
  }

  /** @param former the uid of the one that it follows. */
  const untilReady = async (ref: ResourceRef, former?: string): Promise<KubeObject> =>
    await eventually(async () => {
      const object = await ifFound(cluster.get(ref));
      if (object === undefined || object.metadata.uid === former) return undefined;
      return findCondition(conditionsOf(object), 'Ready')?.status === 'True' ? object : undefined;
    }, `${ref.resource} ${ref.name} is ready`);

  const untilDeletable = async (ref: ResourceRef, reason: string): Promise<void> => {
    await eventually(
      async () => conditionsOf(await cluster.get(ref)).some((condition) => condition.status === 'False' && condition.reason === reason),
      `${ref.resource} ${ref.name} says ${reason}`,
    );
  };
});
