import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import type { Attack } from './attack.ts';
import { ATTACKED } from './people.ts';
import type { Target } from './target.ts';

const INSTANCES = `/api/v1/environments/${ATTACKED}/instances`;
const FLOOD = 300;

export const attacks: readonly Attack[] = [
  {
    title: 'a viewer floods the audit log with rejected acts to push out what others did',
    run: async (target) => {
      const body = { app: 'caches.samples.chandlery.dev', name: 'watched', spec: {} };
      await target.call('developer', INSTANCES, { method: 'POST', body });
      const before = await entriesOf(target, 'oidc:developer');
      assert.ok(before.length > 0, 'the act of the developer is there');
      const flood = Array.from({ length: FLOOD }, (_, index) => `never-${index}`);
      for (let at = 0; at < FLOOD; at += 20) {
        const tries = flood
          .slice(at, at + 20)
          .map(async (id) => await target.call('viewer', `/api/v1/saved-configurations/${id}`, { method: 'DELETE' }));
        for (const { status } of await Promise.all(tries)) assert.ok(status >= 400 && status < 500, String(status));
      }
      assert.ok((await entriesOf(target, 'oidc:viewer')).length <= 101, 'rejected acts have a quota');
      assert.deepEqual(await entriesOf(target, 'oidc:developer'), before);
      return FLOOD;
    },
  },
  {
    title: 'somebody bloats the entries with names of any length and forges lines with control characters',
    run: async (target) => {
      const long = 'x'.repeat(50_000);
      const evil = 'a\n{"id":1,"user":"oidc:admin"}\u001b[2J\u202e\u2028';
      const names = [long, evil];
      for (const name of names) {
        await target.call('developer', INSTANCES, { method: 'POST', body: { app: name, name, spec: {} } });
        const app = { app: name, title: name, values: {} };
        await target.call('developer', '/api/v1/saved-configurations', {
          method: 'POST',
          body: app,
          headers: { 'X-Request-Id': 'y'.repeat(60) },
        });
      }
      for (const { line, path, mode } of await linesOf(target)) {
        assert.equal(mode, 0o600, path);
        assert.match(line, /^[\u0020-\u007e…]{1,6000}$/, `${path}: ${line.slice(0, 200)}`);
        assert.equal(typeof (JSON.parse(line) as { id: unknown }).id, 'number');
      }
      return 2 * names.length;
    },
  },
  {
    title: 'people read the audit log without the permission',
    run: async (target) => {
      for (const person of ['stranger', 'viewer', 'developer', 'maintainer'] as const) {
        for (const path of ['/api/v1/audit-events', '/admin/audit-log'])
          assert.equal((await target.call(person, path)).status, 403, `${person} ${path}`);
      }
      return 8;
    },
  },
];

async function entriesOf(target: Target, person: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let after = ''; ;) {
    const { json } = await target.call('admin', `/api/v1/audit-events?person=${encodeURIComponent(person)}&limit=100${after}`);
    found.push(...listAt(json, 'items').map((item) => objectAt(item)));
    const next = textAt(json, 'next');
    if (next === undefined) return found;
    after = `&after=${next}`;
  }
}

async function linesOf({ stateDir }: Target): Promise<readonly { readonly line: string; readonly path: string; readonly mode: number }[]> {
  const folder = join(stateDir, 'store.audit-log');
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      const mode = (await stat(path)).mode & 0o777;
      return (await readFile(path, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => ({ line, path, mode }));
    }),
  );
  return files.flat();
}
