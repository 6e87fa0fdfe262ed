import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { repoRoot } from '../support/cluster.ts';
import { runCommand } from '../support/run-command.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { submit } from '../unit/form/submit.ts';

// Runs in test:all: it follows one number by all roads.

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
  const stored = async (name = NAME): Promise<string> => {
    const { stdout } = await run(kubectl, ['get', CACHES, name, '-n', HERE, '-o', 'json', '--kubeconfig', product.kubeconfigPath]);
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

  it('is made from a file by the command line as it was written, over a kubeconfig and over a server', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chandlery-exact-'));
    const [file, token] = [join(folder, 'values.yaml'), join(folder, 'token')];
    try {
      await writeFile(file, `memory: 64Mi\ntolerations: ${TOLERATIONS}\n`);
      await writeFile(token, await product.token('dev-a'));
      for (const [index, access] of [
        ['--kubeconfig', product.kubeconfigPath],
        ['--server', product.origin, '--token-file', token],
      ].entries()) {
        const name = `exact-${index}`;
        const { code, stderr } = await runCommand(['install', CACHES, name, '-e', HERE, '-f', file, ...access]);
        assert.equal(code, 0, stderr);
        assert.deepEqual(digitsOf(await stored(name)), LONG);
        const set = `spec.tolerations=[{tolerationSeconds: 9007199254740995}]`;
        const changed = await runCommand(['upgrade', `${CACHES}/${name}`, '-e', HERE, '--set', set, ...access]);
        assert.equal(changed.code, 0, changed.stderr);
        assert.deepEqual(digitsOf(await stored(name)), ['9007199254740995']);
        const kept = await runCommand([
          'upgrade',
          `${CACHES}/${name}`,
          '-e',
          HERE,
          '--set',
          'spec.replicas=9223372036854775809',
          ...access,
        ]);
        assert.match(kept.stderr, /spec\.replicas: the number 9223372036854775809 has more digits than can be kept/);
      }
      for (const lost of ['18446744073709551615', '0xFFFFFFFFFFFFFFFF', '36893488147419103232', '0.12345678901234567890']) {
        await writeFile(file, `memory: 64Mi\ntolerations: [{ tolerationSeconds: ${lost} }]\n`);
        const { code, stderr } = await runCommand([
          'install',
          CACHES,
          'lost',
          '-e',
          HERE,
          '-f',
          file,
          '--kubeconfig',
          product.kubeconfigPath,
        ]);
        assert.equal(code, 1);
        assert.match(stderr, /values\.yaml: the number \S+ has more digits than can be kept \(line 2, column 36\)/);
      }
    } finally {
      await rm(folder, { recursive: true });
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
