import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SAMPLE_PAGES } from '../../../support/sample-pages.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';

let web: SampleWeb;
before(async () => (web = await startSampleWeb()));
after(async () => web.stop());

async function get(path: string, who: string): Promise<Response> {
  const headers: Record<string, string> = who === '' ? {} : { Cookie: `chandlery=${who}` };
  return fetch(web.url + path, { headers: { Accept: 'text/html', ...headers }, redirect: 'manual' });
}

for (const { path, who, status, title, holds } of SAMPLE_PAGES) {
  test(`${path} for ${who === '' ? 'nobody' : who} is a whole page with one heading`, async () => {
    const response = await get(path, who);
    const html = await response.text();
    assert.equal(response.status, status, html);
    assert.match(html, /^<!doctype html>\n<html lang="en">/);
    assert.match(html, new RegExp(`<title>${title} – Chandlery</title>`));
    assert.equal(html.match(/<h1\b/g)?.length, 1);
    assert.doesNotMatch(html, /undefined|\[object Object\]|\sstyle=|\son[a-z]+="|<script>/);
    for (const text of holds) assert.ok(html.includes(text), `${path} does not say ${JSON.stringify(text)}`);
  });
}

test('who is not signed in is sent to the sign-in and comes back to the page', async () => {
  const response = await get('/environments/team-a?x=1', '');
  assert.equal(response.status, 302);
  assert.equal(response.headers.get('location'), '/login?return=%2Fenvironments%2Fteam-a%3Fx%3D1');
});

test('the admin pages are in the navigation of admins only', async () => {
  const pages = await Promise.all(['dev-a', 'admin'].map(async (who) => (await get('/', who)).text()));
  assert.deepEqual(
    pages.map((html) => html.includes('href="/operators"')),
    [false, true],
  );
});

test('a developer on an admin page reads which permission is missing', async () => {
  const html = await (await get('/operators', 'dev-a')).text();
  assert.match(html, /The permission to list operators\.operatorcontroller\.kubeplus in the whole cluster is missing\./);
});

test('an environment that one may not see reads like one that does not exist', async () => {
  const bodies = await Promise.all(['/environments/nope', '/environments/other'].map(async (path) => (await get(path, 'dev-a')).text()));
  const [one, other] = bodies.map((html) => html.replaceAll(/nope|other|<code>[0-9a-f-]{36}<\/code>/g, ''));
  assert.equal(one, other);
});

test('a deletion says its name back, but no other words of the address', async () => {
  assert.match(await (await get('/environments/team-a?deleted=orders', 'dev-a')).text(), /<strong>orders<\/strong> is being deleted/);
  assert.doesNotMatch(await (await get('/environments/team-a?deleted=You+won', 'dev-a')).text(), /You won/);
});

test('the stream sends the fragment as the page has it', async () => {
  const leave = new AbortController();
  const path = '/environments/team-a/instances/postgresclusters.samples.chandlery.dev/orders/stream';
  const response = await fetch(web.url + path, { headers: { Cookie: 'chandlery=dev-a' }, signal: leave.signal });
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('\n\n')) break;
  }
  leave.abort();
  assert.match(text, /event: change\ndata: \{"html":".*All of its resources are healthy/);
});

test('the stream of what one may not see is the same 404 as its page', async () => {
  const response = await get('/environments/team-a/instances/postgresclusters.samples.chandlery.dev/nope/stream', 'dev-a');
  assert.equal(response.status, 404);
});
