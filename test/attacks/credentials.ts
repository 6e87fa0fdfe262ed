import assert from 'node:assert/strict';
import type { Attack } from './attack.ts';
import { ATTACKED, FOREIGN } from './people.ts';

const PAGES = ['/', '/apps', '/environments', `/environments/${ATTACKED}`, '/operators', '/admin/audit-log', '/catalog/drafts'];
const API = ['/apps', '/environments', `/environments/${ATTACKED}/instances`, '/operators', '/me', '/catalog/faults'];

export const attacks: readonly Attack[] = [
  {
    title: 'nobody reads pages and the API without signing in',
    run: async (target) => {
      for (const path of PAGES) {
        const { status, text } = await target.call('anonymous', path);
        assert.ok([200, 302, 404].includes(status), `${path} answered ${status}`);
        assert.ok(status !== 200 || !text.includes(ATTACKED), `${path} names an environment`);
      }
      for (const path of API) assert.equal((await target.call('anonymous', `/api/v1${path}`)).status, 401, path);
      return PAGES.length + API.length;
    },
  },
  {
    title: 'a client sends Impersonate-* headers of its own',
    run: async (target) => {
      const headers = { 'Impersonate-User': 'system:admin', 'Impersonate-Group': 'system:masters', 'Impersonate-Uid': '0' };
      const { json } = await target.call('stranger', '/api/v1/me', { headers });
      assert.equal((json as { user: string }).user, 'oidc:stranger');
      assert.equal((await target.call('stranger', `/api/v1/environments/${ATTACKED}/instances`, { headers })).status, 404);
      return 2;
    },
  },
  {
    title: 'people reach into an environment that is not theirs',
    run: async (target) => {
      const spec = { size: 1 };
      for (const person of ['stranger', 'developer', 'maintainer'] as const) {
        const path = `/api/v1/environments/${FOREIGN}/instances`;
        assert.equal((await target.call(person, path)).status, 404, `${person} lists`);
        const body = { app: 'caches.samples.chandlery.dev', name: 'intruder', spec };
        assert.equal((await target.call(person, path, { method: 'POST', body })).status, 404, `${person} creates`);
        const { exitCode } = await target.kubectl(person, ['get', 'secrets', '--namespace', FOREIGN]);
        assert.notEqual(exitCode, 0, `${person} lists Secrets`);
      }
      return 9;
    },
  },
];
