// Installs, changes and deletes an app with the generated types. Arguments: base address, app, environment; the token is on standard input.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

const [baseUrl = '', app = '', environment = ''] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${(await text(process.stdin)).trim()}` };
const api = createClient<paths>({ baseUrl, headers });
const INSTANCE = '/environments/{environment}/instances/{app}/{name}';
const path = { environment, app, name: 'by-typescript' };

const created = await api.POST('/environments/{environment}/instances', {
  params: { path: { environment } },
  body: { app, name: path.name, spec: { replicas: 1 } },
});
assert.equal(created.response.status, 201, JSON.stringify(created.error));

const stale = await api.PATCH(INSTANCE, { params: { path, header: { 'If-Match': '"stale"' } }, body: { spec: { replicas: 3 } } });
assert.equal(stale.error?.code, 'PreconditionFailed');

for (let attempt = 1; ; attempt += 1) {
  const shown = await api.GET(INSTANCE, { params: { path } });
  const etag: string = shown.data?.etag ?? '';
  assert.equal(etag, shown.response.headers.get('etag'));
  const changed = await api.PATCH(INSTANCE, { params: { path, header: { 'If-Match': etag } }, body: { spec: { replicas: 2 } } });
  if (changed.response.status === 412 && attempt < 20) continue;
  assert.ok(changed.data !== undefined && 'etag' in changed.data, JSON.stringify(changed.error));
  assert.deepEqual((changed.data.object['spec'] as { replicas: number }).replicas, 2);
  break;
}

const deleted = await api.DELETE(INSTANCE, { params: { path, header: { 'If-Match': '*' } } });
assert.equal(deleted.response.status, 202, JSON.stringify(deleted.error));
for (let attempt = 1; ; attempt += 1) {
  const { response } = await api.GET(INSTANCE, { params: { path } });
  if (response.status === 404) break;
  assert.ok(attempt < 300, 'the instance is gone');
  await sleep(100);
}
console.log('done');
