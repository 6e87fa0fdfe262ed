import assert from 'node:assert/strict';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import type { PersonName } from './people.ts';
import type { Ran, Target } from './target.ts';

// An app that the Environment does not allow, on every way to an instance.

const NAME = 'without-sites';
const SITES = 'staticsites.apps.chandlery.dev';
const CACHES = 'caches.samples.chandlery.dev';
const DENIED = /allowedApps do not allow/;

export const attacks: readonly Attack[] = [
  {
    title: 'members install a denied app by REST, kubectl and a change request, and by restoring a deleted instance',
    run: async (target) => {
      await environment(target, {});
      const place = `/api/v1/environments/${NAME}`;
      const instances = `${place}/instances`;
      const earlier = { app: SITES, name: 'earlier', spec: {} };
      await succeeds(target, 'developer', instances, earlier);
      await succeeds(target, 'developer', instances, { ...earlier, name: 'deleted' });
      const deleted = `${instances}/${SITES}/deleted`;
      assert.equal((await target.call('developer', deleted, { method: 'DELETE' })).status, 202);
      const records = async (): Promise<readonly unknown[]> =>
        listAt((await target.call('developer', `${place}/deleted-instances`)).json, 'items');
      const [record] = await eventually(async () => ((await records()).length === 0 ? undefined : await records()), 'it is kept', 60);
      await eventually(async () => (await target.call('developer', deleted)).status === 404, 'it is gone', 60);
      const wish = { action: 'install', environment: NAME, app: SITES, name: 'wanted', spec: {}, message: '' };
      const asked = await succeeds(target, 'viewer', '/api/v1/change-requests', wish);
      await environment(target, { allowedApps: { deny: [SITES, CACHES] } });
      const dry = async (): Promise<string> =>
        (await target.call('developer', `${instances}?dryRun=All`, { method: 'POST', body: { ...earlier, name: 'dry' } })).text;
      await eventually(async () => DENIED.test(await dry()), 'the preflight says so', 30);
      const id = textAt(asked, 'id') ?? '';
      const shown = await target.call('maintainer', `/api/v1/change-requests/${id}`);
      assert.match(shown.text, DENIED, 'the approver sees it before');
      const posts: readonly (readonly [PersonName, string, object])[] = [
        ['viewer', `${instances}?dryRun=All`, { ...earlier, name: 'asked' }],
        ['viewer', '/api/v1/change-requests', { ...wish, name: 'asked' }],
        ['developer', instances, { ...earlier, name: 'posted' }],
        ['maintainer', instances, { ...earlier, name: 'posted' }],
        ['developer', `${place}/deleted-instances/${textAt(record, 'id') ?? ''}/restoration`, {}],
        ['maintainer', `/api/v1/change-requests/${id}/approval`, { digest: textAt(shown.json, 'digest') }],
      ];
      for (const [person, path, body] of posts) {
        const { text } = await target.call(person, path, { method: 'POST', body });
        assert.match(text, DENIED, `${person} ${path}: ${text}`);
      }
      const manifest = stringifyJson({
        apiVersion: 'apps.chandlery.dev/v1alpha1',
        kind: 'StaticSite',
        metadata: { name: 'by-kubectl', namespace: NAME },
        spec: {},
      });
      for (const args of [['create'], ['apply'], ['apply', '--server-side']]) {
        assert.match((await target.kubectl('developer', [...args, '-f', '-'], manifest)).stderr, DENIED, args.join(' '));
      }
      const live = await root(target, ['get', SITES, '--namespace', NAME, '-o', 'name']);
      assert.equal(live.trim(), `${SITES.replace('staticsites', 'staticsite')}/earlier`);
      // What is there is still changed and deleted.
      assert.equal((await target.call('developer', `${instances}/${SITES}/earlier`, { method: 'DELETE' })).status, 202);
      return posts.length + 4;
    },
  },
  {
    title: 'a service account of the environment creates a denied app, with an owner reference that it made up',
    run: async (target) => {
      const ci = [`--as=system:serviceaccount:${NAME}:ci`];
      const owners = [
        ['v1', 'ConfigMap'],
        ['samples.chandlery.dev/v1alpha1', 'Cache'],
      ] as const;
      for (const [apiVersion, kind] of owners) {
        const ownerReferences = [{ apiVersion, kind, name: 'made-up', uid: 'made-up', controller: true }];
        const metadata = { name: 'denied', namespace: NAME, ownerReferences };
        const cache = { apiVersion: 'samples.chandlery.dev/v1alpha1', kind: 'Cache', metadata, spec: {} };
        const ran = await target.kubectl(
          'root',
          [...ci, 'create', '--dry-run=server', '--validate=false', '-f', '-'],
          stringifyJson(cache),
        );
        assert.match(ran.stderr, /allowedApps do not allow caches\.samples\.chandlery\.dev/);
      }
      await root(target, ['annotate', 'environment', NAME, 'chandlery.dev/deletion-intent=Cascade']);
      await root(target, ['delete', 'environment', NAME, '--wait=false']);
      return owners.length;
    },
  },
];

/** The Environment of these attacks, once it is ready. */
async function environment(target: Target, more: object): Promise<void> {
  const groups = (['viewer', 'developer', 'maintainer'] as const).map((role) => ({ name: `oidc:${role}s`, role }));
  const spec = { groups, serviceAccounts: [{ name: 'ci', role: 'developer' }], reclaim: 'Delete', ...more };
  await root(
    target,
    ['apply', '-f', '-'],
    stringifyJson({ apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: NAME }, spec }),
  );
  const observed = [
    'get',
    'environment',
    NAME,
    '-o=jsonpath={.status.conditions[?(@.type=="Ready")].status}/{.metadata.generation}/{.status.observedGeneration}',
  ];
  const isReady = async (): Promise<boolean> => {
    const [status, generation, seen] = (await root(target, observed)).split('/');
    return status === 'True' && generation === seen;
  };
  await eventually(isReady, 'the environment is ready', 60);
}

async function succeeds(target: Target, person: PersonName, path: string, body: object): Promise<unknown> {
  return await eventually(
    async () => {
      const { status, json } = await target.call(person, path, { method: 'POST', body });
      return status === 201 ? json : undefined;
    },
    `${person} posts to ${path}`,
    30,
  );
}

async function root(target: Target, args: readonly string[], input?: string): Promise<string> {
  const { exitCode, stdout, stderr }: Ran = await target.kubectl('root', args, input);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}
