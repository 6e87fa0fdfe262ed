import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { repoRoot } from '../support/cluster.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { submit } from '../unit/form/submit.ts';

const run = promisify(execFile);
const CACHES = 'caches.samples.chandlery.dev';
const HERE = `exact-${process.pid}`;
const INSTANCES = `/environments/${HERE}/instances`;
const NAME = 'exact';
/** The first whole number that a double cannot tell from another, and the largest that the cluster keeps. */
const LONG = ['9007199254740993', '9223372036854775807'];
const TOLERATIONS = `[${LONG.map((digits) => `{"tolerationSeconds":${digits}}`).join(',')}]`;
const draft = (seconds: string): string =>
  `{"app":"${CACHES}","name":"${NAME}","spec":{"memory":"64Mi","tolerations":[{"tolerationSeconds":${seconds}}]}}`;

describe('a live object with numbers that a double would round', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let kubectl: string;
  const instance = `${INSTANCES}/${CACHES}/${NAME}`;

  before(async () => {
    product = await sharedProduct();
    await addEnvironment(product, HERE);
    kubectl = (await loadTools(repoRoot)).kubectl ?? 'kubectl';
  });
  after(async () => await product.stop());

  const post = async (body: string, query = '') => await product.api('dev-a', `${INSTANCES}${query}`, { method: 'POST', body });
  /** What the cluster holds, as text: a parser would round it. */
  const stored = async (): Promise<string> => {
    const { stdout } = await run(kubectl, ['get', CACHES, NAME, '-n', HERE, '-o', 'json', '--kubeconfig', product.kubeconfigPath]);
    return stdout;
  };
  const digitsOf = (text: string): string[] => Array.from(text.matchAll(/"tolerationSeconds":\s*(\d+)/g), ([, digits]) => digits ?? '');
  const page = async (path: string, body?: URLSearchParams): Promise<Response> =>
    await fetch(`${product.origin}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { Authorization: `Bearer ${await product.token('dev-a')}`, Accept: 'text/html' },
      ...(body === undefined ? {} : { body }),
    });

  it('is made over REST as it was sent, and what no number can keep is rejected with its field', async () => {
    const made = await post(`{"app":"${CACHES}","name":"${NAME}","spec":{"memory":"64Mi","tolerations":${TOLERATIONS}}}`);
    assert.equal(made.status, 201, stringifyJson(made.body));
    assert.deepEqual(digitsOf(await stored()), LONG);
    for (const lost of ['0.12345678901234567890', '9223372036854775809', '1e999']) {
      const rejected = await post(draft(lost));
      assert.equal(rejected.status, 422);
      assert.equal(textAt(listAt(rejected.body, 'errors')[0], 'field'), 'spec.tolerations[0].tolerationSeconds');
    }
  });

  it('keeps them when another field is changed over REST', async () => {
    const changed = await product.api('dev-a', instance, { method: 'PATCH', body: { spec: { replicas: 2 } } });
    assert.equal(changed.status, 200);
    assert.deepEqual(digitsOf(await stored()), LONG);
  });

  it('shows them in the form, and keeps them when another field is changed there', async () => {
    const opened = await (await page(`${instance}/edit`)).text();
    for (const digits of LONG) assert.match(opened, new RegExp(`tolerationSeconds: ${digits}`));
    const fields = submit(opened);
    fields.set('v.spec.replicas', '3');
    fields.set('_do', 'save');
    assert.equal((await page(`${instance}/edit`, fields)).status, 303);
    const text = await stored();
    assert.match(text, /"replicas": 3/);
    assert.deepEqual(digitsOf(text), LONG);
  });

  it('keeps them where the list that holds them is changed, and in the commands for it', async () => {
    const fields = submit(await (await page(`${instance}/edit`)).text());
    const list = [...fields].find(([, text]) => text.includes(LONG[0] ?? ''));
    assert.ok(list !== undefined);
    fields.set(list[0], list[1].replace(LONG[1] ?? '', '9007199254740995'));
    fields.set('_do', 'review');
    assert.match(await (await page(`${instance}/edit`, fields)).text(), /9007199254740995/);
    fields.set('_do', 'save');
    await page(`${instance}/edit`, fields);
    assert.deepEqual(digitsOf(await stored()), [LONG[0], '9007199254740995']);
  });
});
