import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { chartFiles, packChart, writeFiles } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { ATTACKED, FOREIGN } from './people.ts';
import type { Target } from './target.ts';

// Values that nobody is shown: of instances, and those that charts get from Secrets.

const APP = 'vaults.attacks.example.com';
const INSTANCES = `/api/v1/environments/${ATTACKED}/instances`;
const RESOURCES = `/environments/${ATTACKED}/resources`;
const PAGE = `/environments/${ATTACKED}/instances/${APP}/safe`;
const SECRETS = {
  adminPassword: 'Tr0ub4dor&3<correct>',
  config: { 'db.password': 'horse-battery-1', env: [{ name: 'API_TOKEN', value: 'staple-4711-xyz' }], url: 'postgres://me:s3cr3t-pw@db/x' },
  users: [{ name: 'anna', pin: 'four-eight-15' }],
  license: 'XKCD-936-LICENSE',
};
const SPEC = { ...SECRETS, size: 3 };
const HIDDEN = [SECRETS.adminPassword, SECRETS.config['db.password'], 'staple-4711-xyz', 's3cr3t-pw', 'four-eight-15', SECRETS.license];
const KEY = 'porcupine-2718-Lantern';
const CHART_SECRET = 'K4n<ä&"u>ru-9913-Zebra';

/** Names and resources that could lead to another namespace, a subresource, or out of the path. */
const LEADING_OUT = [
  `secrets/..%2F..%2F${FOREIGN}%2Fsecrets%2Fx`,
  'pods/x%2Flog',
  'pods/x%3Flimit=1',
  'configmaps/x%00',
  'configmaps/%0d%0aImpersonate-User:%20root',
  'deployments.apps%2Fscale/repeats',
  'namespaces/kube-system',
  'nodes/node-1',
  `environments.chandlery.dev/${FOREIGN}`,
  '__proto__/constructor',
];

export const attacks: readonly Attack[] = [
  {
    title: 'people read sensitive values of an instance on pages, in REST answers, reviews, commands and errors',
    run: async (target) => {
      await offerVault(target);
      const body = { app: APP, name: 'safe', spec: SPEC };
      const created = await target.call('developer', INSTANCES, { method: 'POST', body });
      assert.equal(created.status, 201, created.text);
      const answers = [
        created.text,
        (await target.call('developer', `${INSTANCES}?dryRun=All`, { method: 'POST', body: { ...body, name: 'other' } })).text,
        (await change(target, { size: 4 }, '?dryRun=All')).text,
        (await change(target, { adminPassword: 'another-Tr0ub4dor&3<correct>' }, '?dryRun=All')).text,
        (await change(target, { adminPassword: `${SECRETS.adminPassword} !` })).text,
        (await change(target, { size: SECRETS.adminPassword })).text,
      ];
      for (const person of ['viewer', 'developer', 'maintainer'] as const) {
        for (const path of [`${INSTANCES}/${APP}/safe`, `${INSTANCES}/${APP}/safe/tree`, `${INSTANCES}/${APP}/safe/events`, INSTANCES]) {
          const { status, text } = await target.call(person, path);
          assert.equal(status, 200, `${person} ${path}: ${text}`);
          answers.push(text);
        }
        for (const path of ['', '/edit', '/save', '/delete', '/edit?ask']) answers.push((await target.call(person, `${PAGE}${path}`)).text);
      }
      assert.match(answers[4] ?? '', /not good enough: \[secret\]/);
      assert.match(answers[6] ?? '', /<masked: spec\.license>/);
      assert.match((await target.call('viewer', PAGE)).text, /&lt;masked: spec\.license&gt;/);
      for (const [index, text] of answers.entries()) shows(text, `answer ${index}`);
      return answers.length;
    },
  },
  {
    title: 'people read them on the pages of the resources that repeat them, or leave the namespace there',
    run: async (target) => {
      const repeats = await applyRepeats(target);
      const places = [`${APP}/safe`, ...repeats];
      for (const place of places) {
        for (const path of [`/api/v1${RESOURCES}/${place}`, `${RESOURCES}/${place}`]) {
          const { status, text } = await target.call('developer', path);
          assert.equal(status, 200, `${path}: ${text}`);
          shows(text, path);
          assert.equal((await target.call('neighbour', path)).status, 404);
        }
      }
      for (const place of LEADING_OUT) {
        for (const path of [`/api/v1${RESOURCES}/${place}`, `${RESOURCES}/${place}`]) {
          const { status, text } = await target.call('developer', path);
          assert.ok(status >= 400 && status < 500, `${path}: ${status} ${text}`);
        }
      }
      return 4 * places.length + 2 * LEADING_OUT.length;
    },
  },
  {
    title: 'people read sensitive values of presets and examples, and those that environments give new instances',
    run: async (target) => {
      const overlay = async (values: readonly object[]): Promise<void> => {
        const patch = stringifyJson({ spec: { overlay: values } });
        const { exitCode, stderr } = await target.kubectl('root', ['patch', 'environment', ATTACKED, '--type', 'merge', '--patch', patch]);
        assert.equal(exitCode, 0, stderr);
      };
      await overlay([{ app: APP, values: { spec: SPEC } }]);
      const paths = [`/api/v1/apps/${APP}`, `/api/v1/apps/${APP}/form?environment=${ATTACKED}`, '/api/v1/environments'];
      const pages = [`/apps/${APP}`, `/apps/${APP}/install?environment=${ATTACKED}&name=new`, `/environments/${ATTACKED}`];
      for (const path of [...paths, `/api/v1/environments/${ATTACKED}`, ...pages]) {
        const { status, text } = await target.call('developer', path);
        assert.equal(status, 200, `${path}: ${text}`);
        shows(text, path);
      }
      const named = { app: APP, name: 'laid', spec: { size: 1 } };
      assert.equal((await target.call('developer', INSTANCES, { method: 'POST', body: named })).status, 201);
      const { stdout } = await target.kubectl('root', ['get', APP, 'laid', '--namespace', ATTACKED, '-o', 'json']);
      assert.deepEqual((JSON.parse(stdout) as { spec: unknown }).spec, { ...SPEC, size: 1 });
      await overlay([]);
      return paths.length + pages.length + 2;
    },
  },
  {
    title: 'somebody writes a stand-in over a value, or moves it to where it is shown',
    run: async (target) => {
      const path = `${INSTANCES}/${APP}/safe`;
      const { object } = (await target.call('developer', path)).json as { object: { spec: object } };
      assert.equal((await target.call('developer', path, { method: 'PUT', body: { spec: object.spec } })).status, 200);
      assert.equal((await change(target, { size: 5 })).status, 200);
      const wrong = [
        { note: '<masked: spec.adminPassword>' },
        { adminPassword: '<masked: spec.nothing>' },
        { adminPassword: 'x<masked: spec.adminPassword>' },
        { config: { plain: '<masked: spec.license>' } },
      ];
      for (const spec of wrong) assert.equal((await change(target, spec)).status, 422, JSON.stringify(spec));
      const fresh = { app: APP, name: 'fresh', spec: { adminPassword: '<masked: spec.adminPassword>' } };
      assert.equal((await target.call('developer', INSTANCES, { method: 'POST', body: fresh })).status, 422);
      const { stdout } = await target.kubectl('root', ['get', APP, 'safe', '--namespace', ATTACKED, '-o', 'json']);
      assert.deepEqual((JSON.parse(stdout) as { spec: unknown }).spec, { ...SPEC, size: 5 });
      return wrong.length + 3;
    },
  },
  {
    title: 'a value is revealed to people who may not read it, by a path that is none, or without a trace',
    run: async (target) => {
      const reveal = `${INSTANCES}/${APP}/safe/revealed-values`;
      const ask = async (person: 'stranger' | 'neighbour' | 'viewer' | 'anonymous', path: string): Promise<number> =>
        (await target.call(person, reveal, { method: 'POST', body: { path } })).status;
      assert.equal(await ask('anonymous', 'spec.license'), 401);
      assert.equal(await ask('stranger', 'spec.license'), 404);
      assert.equal(await ask('neighbour', 'spec.license'), 404);
      for (const path of ['spec.size', 'metadata.uid', 'spec', 'spec.users', '__proto__', '']) assert.equal(await ask('viewer', path), 404);
      const { json } = await target.call('viewer', reveal, { method: 'POST', body: { path: 'spec.config["db.password"]' } });
      assert.deepEqual(json, { path: 'spec.config["db.password"]', value: SECRETS.config['db.password'] });
      const { text } = await target.call('admin', '/api/v1/audit-events?text=reveal');
      assert.ok(text.includes('oidc:viewer') && text.includes('db.password'), text);
      shows(text, 'the audit log');
      return 10;
    },
  },
  {
    title:
      'a key of a connection is revealed without the permission, of another team, of a Secret of somebody else, or by a key that is none',
    run: async (target) => {
      const reveal = async (
        person: 'stranger' | 'neighbour' | 'viewer' | 'developer' | 'admin' | 'anonymous',
        key: string,
        name = 'safe',
      ) => await target.call(person, `${INSTANCES}/${APP}/${name}/connection/revealed-keys`, { method: 'POST', body: { key } });
      const owner = async (name: string): Promise<object> => {
        const { stdout } = await target.kubectl('root', ['get', APP, name, '--namespace', ATTACKED, '-o', 'jsonpath={.metadata.uid}']);
        return { apiVersion: 'attacks.example.com/v1', kind: 'Vault', name, uid: stdout };
      };
      for (const [name, namespace, ownerReferences] of [
        ['safe-app', ATTACKED, [await owner('safe')]],
        ['safe-stolen', ATTACKED, [await owner('laid')]],
        ['unowned', ATTACKED, []],
        ['safe-app', FOREIGN, []],
      ] as const) {
        const secret = {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, namespace, ownerReferences },
          stringData: { pw: KEY, other: KEY },
        };
        assert.equal((await target.kubectl('root', ['apply', '-f', '-'], stringifyJson(secret))).exitCode, 0);
      }
      const tries: readonly (readonly [status: number, ...Parameters<typeof reveal>])[] = [
        [401, 'anonymous', 'password'],
        [404, 'stranger', 'password'],
        [404, 'neighbour', 'password'],
        [403, 'viewer', 'password'],
        ...['safe-app', 'other', 'pw', '', '../password', '__proto__', 'host', 'by-note', 'stolen'].map(
          (key) => [404, 'developer', key] as const,
        ),
      ];
      // The note of the instance names a Secret that is not its own.
      assert.equal((await change(target, { note: 'unowned' })).status, 200);
      for (const [status, ...attempt] of tries) {
        const answer = await reveal(...attempt);
        assert.equal(answer.status, status, `${attempt.join(' ')}: ${answer.text}`);
        assert.ok(!answer.text.includes(KEY), answer.text);
      }
      const page = `/environments/${ATTACKED}/instances/${APP}/safe`;
      for (const path of [page, `/api/v1${page}/connection`]) {
        for (const person of ['viewer', 'developer'] as const) {
          const { text } = await target.call(person, path);
          for (const spelling of [KEY, Buffer.from(KEY).toString('base64')])
            assert.ok(!text.includes(spelling), `${person} ${path}: ${text}`);
        }
      }
      const { json, headers } = await reveal('developer', 'password');
      assert.deepEqual(json, { key: 'password', value: KEY, encoding: 'utf-8' });
      assert.equal(headers.get('cache-control'), 'no-store');
      const { text } = await target.call('admin', '/api/v1/audit-events?text=connection');
      for (const outcome of ['succeeded', 'rejected'])
        assert.match(text, new RegExp(`"target":"[^"]*/safe (password|host)","outcome":"${outcome}"`));
      assert.ok(!text.includes(KEY), text);
      const timeline = `/api/v1/environments/${ATTACKED}/timeline`;
      const { text: seen } = await target.call('viewer', timeline);
      assert.match(seen, /"who":"oidc:developer","message":"Create instance"/);
      const { text: own } = await target.call('developer', timeline);
      assert.match(own, /"who":"oidc:developer","message":"Reveal connection key password"/);
      assert.ok(!/"who":"oidc:developer","message":"Reveal/.test(seen) && !seen.includes(KEY), 'reveals of others are for auditors');
      assert.equal((await target.call('neighbour', timeline)).status, 404);
      return tries.length + 6;
    },
  },
  {
    title: 'sensitive values are kept in saved configurations, change requests and links',
    run: async (target) => {
      const values = { ...SPEC };
      const saved = await target.call('developer', '/api/v1/saved-configurations', {
        method: 'POST',
        body: { app: APP, title: 'x', values, owner: { user: 'oidc:developer' } },
      });
      assert.match(saved.text, /"omittedSecrets":\[[^\]]*spec\.license/);
      shows(saved.text, 'the saved configuration');
      const wish = { action: 'install', environment: ATTACKED, app: APP, name: 'wish', spec: SPEC, message: '' };
      const asked = await target.call('viewer', '/api/v1/change-requests', { method: 'POST', body: wish });
      assert.equal(asked.status, 422, asked.text);
      shows(asked.text, 'the change request');
      return 2;
    },
  },
  {
    title: 'a chart prints a Secret that it gets values from into its Operator’s conditions',
    run: async (target) => {
      const prints = [
        '.Values.pw',
        '.Values | toJson',
        '.Values.pw | b64enc',
        '.Values.pw | urlquery',
        '.Values.pw | upper',
        'printf "%q" .Values.pw',
        'trunc 14 .Values.pw',
      ];
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'printed', namespace: 'chandlery-system' },
        stringData: { pw: CHART_SECRET },
      };
      assert.equal((await target.kubectl('root', ['apply', '-f', '-'], JSON.stringify(secret))).exitCode, 0);
      for (const [index, print] of prints.entries()) {
        const name = `printer-${index}`;
        const files = chartFiles(name, '1.0.0', { 'templates/a.yaml': `{{ fail (printf "no: %v" (${print})) }}` });
        await offer(target, name, files, { valuesFrom: [{ kind: 'Secret', name: 'printed', key: 'pw', targetPath: 'pw' }] });
      }
      for (const index of prints.keys()) {
        const text = await eventually(
          async () => {
            const { stdout } = await target.kubectl('root', [
              'get',
              'operators.operatorcontroller.kubeplus',
              `printer-${index}`,
              '-n',
              'chandlery-system',
              '-o',
              'json',
            ]);
            return stdout.includes('HelmFailed') || stdout.includes('execution error') ? stdout : undefined;
          },
          `printer-${index} has failed`,
          90,
        );
        const letters = text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
        for (const trace of ['9913zebra', 'ru9913z', Buffer.from(CHART_SECRET).toString('base64').slice(4, 16).toLowerCase()]) {
          assert.ok(!letters.includes(trace), `${prints[index]} shows ${trace}: ${text}`);
        }
        await target.kubectl('root', [
          'delete',
          'operators.operatorcontroller.kubeplus',
          `printer-${index}`,
          '-n',
          'chandlery-system',
          '--wait=false',
        ]);
      }
      return prints.length;
    },
  },
];

function shows(text: string, what: string): void {
  for (const secret of HIDDEN) {
    const spellings = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
    for (const spelling of [...spellings, secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')]) {
      assert.ok(!text.includes(spelling), `${what} shows ${spelling}`);
    }
  }
}

/** Resources with the values of the instance in places where no schema marks them, applied by kubectl, which keeps a copy of each. */
async function applyRepeats(target: Target): Promise<string[]> {
  const all = HIDDEN.join(' ');
  const metadata = { name: 'repeats', namespace: ATTACKED, annotations: { note: all } };
  const container = { name: 'a', image: 'b', args: [all], env: [{ name: 'NOTE', value: all }] };
  const template = { metadata: { labels: { a: 'b' }, annotations: { note: all } }, spec: { containers: [container] } };
  const items = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'app.ini': all } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, annotations: {} }, stringData: { note: all } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template } },
  ];
  const made = await target.kubectl('root', ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  assert.equal(made.exitCode, 0, made.stderr);
  return ['configmaps/repeats', 'secrets/repeats', 'deployments.apps/repeats'];
}

async function change(target: Target, spec: object, query = ''): ReturnType<Target['call']> {
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  return await target.call('developer', `${INSTANCES}/${APP}/safe${query}`, { method: 'PATCH', body: { spec }, headers });
}

/** A kind with passwords in every place, as an app. */
async function offerVault(target: Target): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const text = { type: 'string' };
  const properties = {
    adminPassword: { type: 'string', maxLength: 100 },
    note: text,
    license: text,
    size: { type: 'integer' },
    config: open,
    users: { type: 'array', items: { type: 'object', properties: { name: text, pin: text } } },
  };
  const rule = { rule: "!self.adminPassword.endsWith('!')", messageExpression: "'not good enough: ' + self.adminPassword" };
  const spec = { type: 'object', properties, required: ['adminPassword'], 'x-kubernetes-validations': [rule] };
  const schema = { type: 'object', properties: { spec } };
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: APP },
    spec: {
      group: 'attacks.example.com',
      scope: 'Namespaced',
      names: { kind: 'Vault', plural: 'vaults', singular: 'vault' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  const presets = [{ name: 'usual', title: 'Usual', values: { spec: SPEC } }];
  const fromSecret = (name: string) => ({ secretKeyRef: { name, key: 'pw' } });
  const connection = [
    { name: 'host', value: '{name}.{namespace}.svc' },
    { name: 'password', ...fromSecret('{name}-app') },
    { name: 'by-note', ...fromSecret('{spec.note}') },
    { name: 'stolen', ...fromSecret('{name}-stolen') },
  ];
  const kind = { kind: 'Vault', sensitive: ['spec.license', 'spec.users[*].pin'], presets, example: SPEC, connection };
  const catalog = { displayName: 'Vault', kinds: [kind] };
  await offer(target, 'vault', chartFiles('vault', '1.0.0', { 'crds/vaults.yaml': JSON.stringify(crd) }), { catalog });
  await eventually(
    async () =>
      listAt((await target.call('developer', '/api/v1/apps?search=Vault')).json, 'items').some(
        (app) => textAt(app, 'availability') === 'Available',
      ),
    'the app Vault is available',
    90,
  );
  await eventually(
    async () => (await target.kubectl('developer', ['auth', 'can-i', 'create', APP, '--namespace', ATTACKED])).exitCode === 0,
    'developers may create it',
    60,
  );
}

async function offer(target: Target, name: string, files: Readonly<Record<string, string>>, spec: object): Promise<void> {
  await mkdir(target.chartsDir, { recursive: true });
  await writeFiles(target.chartsDir, { [`${name}-1.0.0.tgz`]: await packChart(name, files) });
  const operator = {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name, namespace: 'chandlery-system' },
    spec: { name, chartURL: `file://attacks/${name}-1.0.0.tgz`, ...spec },
  };
  const { exitCode, stderr } = await target.kubectl('root', ['apply', '-f', '-'], JSON.stringify(operator));
  assert.equal(exitCode, 0, stderr);
}
