import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { readYaml } from '../../../../src/schema/yaml-text.ts';
import { EXAMPLE_OPERATOR, operatorIn } from '../../../../src/web/operator/new-operator-page.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';
import { sampleOperations } from '../../../support/sample-operations.ts';

const created: KubeObject[] = [];
let web: SampleWeb;
before(async () => {
  web = await startSampleWeb({
    createOperator: async (actor, input) => {
      created.push(input.operator);
      return await sampleOperations().createOperator(actor, input);
    },
  });
});
after(async () => web.stop());

async function post(manifest: string, act: 'check' | 'create' | 'file'): Promise<Response> {
  return await fetch(`${web.url}/operators/new`, {
    method: 'POST',
    body: new URLSearchParams({ manifest, _do: act }),
    redirect: 'manual',
    headers: { Cookie: 'chandlery=admin', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' },
  });
}

test('the check writes nothing, shows what the chart brings, and keeps what was written', async () => {
  const html = await (await post(EXAMPLE_OPERATOR.replace('version: 1.0.0', 'version: 1.0.0 # mine'), 'check')).text();
  assert.deepEqual(created, []);
  assert.match(html, /Deployment queue-operator/);
  assert.match(html, /version: 1\.0\.0 # mine/);
  assert.match(html, /value="create"/);
});

test('what is blocked cannot be created, and says why', async () => {
  const html = await (await post(EXAMPLE_OPERATOR.replaceAll('my-operator', 'blocked'), 'create')).text();
  assert.deepEqual(created, []);
  assert.match(html, /belongs to the Operator chandlery-system\.cache/);
  assert.doesNotMatch(html, /value="create"/);
});

test('it is created exactly as it was written', async () => {
  const response = await post(EXAMPLE_OPERATOR.replaceAll('\n', '\r\n'), 'create');
  assert.deepEqual([response.status, response.headers.get('location')], [303, '/operators/default/queue-operator']);
  const read = operatorIn(readYaml(EXAMPLE_OPERATOR));
  assert.deepEqual(created.at(-1), 'operator' in read ? read.operator : undefined);
});

test('the file for git can be kept, and helm is shown with what it leaves out', async () => {
  const html = await (await post(EXAMPLE_OPERATOR, 'check')).text();
  assert.match(html, /<code>operators\/my-operator\.yaml<\/code>/);
  assert.match(html, /helm upgrade --install my-operator/);
  assert.match(html, /<li>It does not convert the object in deprecated APIs/);
  const file = await post(EXAMPLE_OPERATOR, 'file');
  assert.equal(file.headers.get('content-disposition'), 'attachment; filename=my-operator.yaml');
  assert.match(await file.text(), /^apiVersion: operatorcontroller\.kubeplus\/v1\nkind: Operator\n/);
});

test('a text that cannot be read is a fault with its line, and nothing is lost', async () => {
  for (const [text, fault] of [
    ['a: [', /Line 1/],
    ['kind: Operator\na: *b\n', /Line 2: Aliases/],
    ['- 1', /whole resource/],
    ['metadata: {}', /metadata\.name are required/],
    ['', /whole resource/],
  ] as const) {
    const response = await post(text, 'create');
    const html = await response.text();
    assert.equal(response.status, 422);
    assert.match(html, fault);
    assert.match(html, /<title>Error: New Operator/);
  }
});
