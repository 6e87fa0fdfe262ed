import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';

const PAGE = '/operators/chandlery-system/postgres-operator/upgrade';

let web: SampleWeb;
before(async () => {
  web = await startSampleWeb();
});
after(async () => web.stop());

async function look(previewValues: string): Promise<{ readonly status: number; readonly html: string }> {
  const response = await fetch(`${web.url}${PAGE}`, {
    method: 'POST',
    body: new URLSearchParams({ version: '1.5.0', previewValues, _do: 'try' }),
    redirect: 'manual',
    headers: { Cookie: 'chandlery=admin', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' },
  });
  return { status: response.status, html: await response.text() };
}

test('other values are looked at, with the command that would write them, and cannot be approved by mistake', async () => {
  const { status, html } = await look('replicas: 3 # more\r\nimage: { tag: null }\r\n');
  assert.equal(status, 200);
  assert.match(html, /<h1>PostgreSQL 1\.5\.0 with other values<\/h1>/);
  assert.match(
    html,
    /--patch &#x27;\{&quot;spec&quot;:\{&quot;values&quot;:\{&quot;replicas&quot;:3,&quot;image&quot;:\{&quot;tag&quot;:null\}\}\}\}&#x27;/,
  );
  assert.match(html, /replicas: 3 # more/);
  assert.doesNotMatch(html, />Approve 1\.5\.0</);
});

test('values that cannot be read come back with their fault', async () => {
  for (const [text, fault] of [
    ['replicas: [', /Line 1/],
    ['- 1', /Enter values as YAML/],
    ['', /Enter values as YAML/],
  ] as const) {
    const { status, html } = await look(text);
    assert.equal(status, 422);
    assert.match(html, fault);
    assert.match(html, /<a href="#previewValues">/);
    assert.match(html, /aria-invalid="true"/);
  }
});
