import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { at } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { addEnvironment, addOperator, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

// Runs in test:all: it is another walk through the form of an instance.

const DEPOTS = 'depots.test.example.com';
const SPACE = `nested-${RUN}`;

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${DEPOTS}}
spec:
  group: test.example.com
  scope: Namespaced
  names: {kind: Depot, plural: depots}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [store]
              properties:
                store:
                  type: object
                  oneOf:
                    - {required: [bucket]}
                    - {required: [volume]}
                  properties:
                    bucket:
                      type: object
                      required: [name]
                      properties: {name: {type: string}}
                    volume:
                      type: object
                      properties:
                        classes:
                          type: object
                          additionalProperties:
                            type: object
                            properties:
                              rules:
                                type: array
                                items:
                                  type: object
                                  required: [path]
                                  properties:
                                    path: {type: string}
                                    size: {x-kubernetes-int-or-string: true}
`;

const OPERATOR = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata: {namespace: chandlery-system, name: depot}
spec:
  name: depot-operator
  chart: {repoURL: "file://samples", name: depot-operator, version: 0.1.0}
  targetNamespace: depot-operator
  createNamespace: true
  catalog: {displayName: Depot, kinds: [{kind: Depot, displayName: Depot}]}
`;

describe('a nested form without JavaScript', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    const chart = join(product.chartsDir, 'depot-operator');
    await mkdir(join(chart, 'crds'), { recursive: true });
    await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: depot-operator\nversion: 0.1.0\n');
    await writeFile(join(chart, 'crds', 'depots.yaml'), CRD);
    await addEnvironment(product, SPACE);
    await addOperator(product, { name: 'depot', text: OPERATOR, app: DEPOTS });
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  it('takes a list of objects inside a map inside a branch, and installs exactly that', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    const { page } = visitor;
    const press = async (name: RegExp): Promise<void> => {
      await page.getByRole('button', { name }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Install Depot' }).waitFor();
    };
    await page.goto(`/apps/${DEPOTS}/install`);
    await page.locator(`input[name="environment"][value="${SPACE}"]`).check();
    await page.getByLabel('Name', { exact: true }).fill('nested');

    await press(/^Volume for Store/);
    await press(/^Add class/);
    await page.locator('[name="k.spec.store.volume.classes[0]"]').fill('fast/ssd');
    await press(/^Add rule/);
    await press(/^Add rule/);
    await page.locator('[name="v.spec.store.volume.classes[0].rules[0].path"]').fill('/orders');
    await page.locator('[name="v.spec.store.volume.classes[0].rules[0].size"]').fill('50%');
    await page.locator('[name="v.spec.store.volume.classes[0].rules[1].path"]').fill('/carts');
    await page.locator('[name="v.spec.store.volume.classes[0].rules[1].size"]').fill('3');
    await visitor.check();
    await press(/^Move rule 2.* up/i);
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'nested' }).waitFor();

    const { body } = await product.api('dev-a', `/environments/${SPACE}/instances/${DEPOTS}/nested`);
    assert.deepEqual(at(body, 'object', 'spec'), {
      store: {
        volume: {
          classes: {
            'fast/ssd': {
              rules: [
                { path: '/carts', size: 3 },
                { path: '/orders', size: '50%' },
              ],
            },
          },
        },
      },
    });

    await page.goto(`/environments/${SPACE}/instances/${DEPOTS}/nested/edit`);
    assert.equal(await page.locator('[name="v.spec.store.volume.classes[0].rules[1].size"]').inputValue(), '50%');
    await visitor.close();
  });
});
