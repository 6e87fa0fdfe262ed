import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { chartFiles, packChart } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import { isTooLong, shortestOfTries, type Attack } from './attack.ts';
import { blockedIn, newOperator, preflighted, warnedIn } from './operators.ts';
import type { Target } from './target.ts';
import { elapse } from '../support/elapse.ts';

// Charts that an admin is talked into, and the hosts that they come from.

const OBJECT = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
/** What the output of helm and the thread that parses it may add to the memory of the product; helm's own is not its. */
const MAX_GROWTH_BYTES = 384 * 1024 * 1024;

/** Templates that ask for more than anybody has, and what is said of them. */
const HUNGRY: Readonly<Record<string, readonly [template: string, says: RegExp]>> = {
  gigabytes: [`${OBJECT}data: {a: {{ repeat 2000000000 "aaaaaaaaaa" }}}`, /more than the 512 MiB of memory .* make the chart/],
  multitude: [`{{ range until 100000 }}{{ range until 1000 }}\n---\n${OBJECT}{{ end }}{{ end }}`, /more than the 512 MiB of memory/],
  recursion: ['{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}', /nested reference/],
  output: [
    `{{ range until 400 }}\n---\n${OBJECT}data: {a: "{{ repeat 100000 "a" }}"}{{ end }}`,
    /renders more than 16 MiB of objects|more than the 512 MiB/,
  ],
  objects: [`{{ range until 10001 }}\n---\n${OBJECT}{{ end }}`, /10,001 objects|more than the 512 MiB of memory/],
  depth: [`${OBJECT}data: {{ repeat 3000 "[" }}{{ repeat 3000 "]" }}`, /levels deep|depth|exceeded/],
  files: [
    '{{ range until 100000 }}{{ $.Files.Get "values.yaml" | b64enc | sha512sum | repeat 100000 }}{{ end }}',
    /more than the 512 MiB|wrote more/,
  ],
};

/** Objects about as large as the api-server takes, each large in another way. */
const LARGE: Readonly<Record<string, string>> = {
  'many-keys': `${OBJECT}data:{{ range until 9000 }}\n  password-{{ . }}: "{{ repeat 20 "abcd" }} {{ . }}"{{ end }}`,
  'many-rules': `${OBJECT}rules:{{ range $g := until 20000 }}\n  - {alert: A{{ . }}, expr: "sum(rate(x[5m])) > {{ $g }}", labels: {severity: page}}{{ end }}`,
  'one-text': `${OBJECT}data: {a: "{{ repeat 100000 "line of text, and more\\n" }}"}`,
};

/** Other files of a chart that are too much. */
const DEEP: Readonly<Record<string, readonly [file: string, content: string, says: RegExp]>> = {
  'deep-schema': ['values.schema.json', `${'{"properties":{"a":'.repeat(50_000)}{}${'}}'.repeat(50_000)}`, /nested more than 256 levels/],
  'endless-schema': ['values.schema.json', `{"a":${'['.repeat(900_000)}`, /nested more than 256 levels/],
  'deep-values': ['values.yaml', `a: ${'['.repeat(50_000)}`, /nested more than 100 levels/],
  'alias-bomb': [
    'values.yaml',
    `a: &a [${'x,'.repeat(9)}]\n${'bcdefgh'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}]`)
      .join('\n')}\n`,
    /alias/,
  ],
  'deep-crd': ['crds/a.yaml', `${OBJECT}spec: ${'{a: '.repeat(900)}${'}'.repeat(900)}`, /nested more than 100 levels/],
};

/** What a chart host may answer to `index.yaml`, and what is said of it. */
const HOSTS: Readonly<Record<string, readonly [listener: RequestListener, says: RegExp]>> = {
  circle: [(request, response) => void response.writeHead(302, { location: `${request.url}x` }).end(), /redirects more than 5 times/],
  loopback: [(_request, response) => void response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end(), /egress policy/],
  metadata: [(_request, response) => void response.writeHead(302, { location: 'https://169.254.169.254/' }).end(), /egress policy/],
  file: [(_request, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(), /redirects to a file/],
  odd: [(_request, response) => void response.writeHead(302, { location: 'https://[' }).end(), /not an address/],
  html: [(_request, response) => void response.end('<html>'), /chart|index/],
  bomb: [
    (_request, response) => void response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(32 * 1024 * 1024))),
    /index|parsed|chart/,
  ],
  announced: [(_request, response) => response.writeHead(200, { 'content-length': '99999999999' }).flushHeaders(), /more than the 50 MiB/],
  endless: [(_request, response) => void pour(response), /more than the 50 MiB/],
  broken: [(_request, response) => void response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'), /broke off|answer/],
  garbage: [(_request, response) => void response.socket?.end('\0\0\0'), /broke off|answer/],
  headers: [(_request, response) => void response.socket?.end(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(50_000)}\r\n`), /broke off|answer/],
  login: [(_request, response) => void response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(), /asks for credentials/],
};

const REACHING = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: reach}
webhooks: [{name: a.example.com, failurePolicy: Fail, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: "https://a.example.com"}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reach}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: reach, namespace: default}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reach, labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reach, namespace: kube-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: "system:authenticated"}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: reach, annotations: {"helm.sh/hook": pre-install}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}}}
`;

export const attacks: readonly Attack[] = [
  {
    title: 'a chart renders gigabytes, millions of objects, or for ever',
    run: async (target) => {
      const before = (await target.measure()).rssBytes;
      for (const [name, [template, says]] of Object.entries(HUNGRY)) {
        await pack(target, name, { 'templates/a.yaml': template });
        await assertBlocked(target, { chartURL: `file://attacks/${name}.tgz` }, says);
        const { rssBytes } = await target.measure();
        assert.ok(rssBytes < before + MAX_GROWTH_BYTES, `${name}: ${rssBytes} bytes are resident, ${before} were before`);
      }
      return Object.keys(HUNGRY).length;
    },
  },
  {
    title: 'a chart nests its schema, values or CRDs without end',
    run: async (target) => {
      for (const [name, [file, content, says]] of Object.entries(DEEP)) {
        await pack(target, name, { [file]: content });
        await assertBlocked(target, { chartURL: `file://attacks/${name}.tgz` }, says);
      }
      return Object.keys(DEEP).length;
    },
  },
  {
    title: 'a chart renders objects as large as the api-server takes',
    run: async (target, pace) => {
      for (const [name, template] of Object.entries(LARGE)) {
        await pack(target, name, { 'templates/a.yaml': template });
        const operator = newOperator(name, { chartURL: `file://attacks/${name}.tgz` });
        const { workMs, answer } = await shortestOfTries(target, pace, async () => await preflighted(target, operator));
        assert.equal(answer.status, 200, answer.text.slice(0, 500));
        assert.ok(!isTooLong(workMs), `${name} held the event loop for ${workMs.toFixed(0)} ms`);
      }
      return Object.keys(LARGE).length;
    },
  },
  {
    title: 'a chart host redirects, lies, floods or breaks off',
    run: async (target) => {
      for (const [name, [listener, says]] of Object.entries(HOSTS)) {
        target.chartHost.answerWith(listener);
        const chart = { repoURL: `${target.chartHost.address}/${name}`, name: 'demo', version: '1.0.0' };
        await assertBlocked(target, { chart }, says);
        assert.ok(target.chartHost.asked.length > 0, `${name} was not asked`);
      }
      return Object.keys(HOSTS).length;
    },
  },
  {
    title: 'a chart host drips its answer for ever',
    pace: 'slow',
    run: async (target) => {
      target.chartHost.answerWith((_request, response) => void drip(response));
      await assertBlocked(
        target,
        { chart: { repoURL: `${target.chartHost.address}/drip`, name: 'demo', version: '1.0.0' } },
        /took too long|in time/,
      );
    },
  },
  {
    title: 'charts of slow hosts keep the controller from installing others',
    run: async (target) => {
      target.chartHost.answerWith((_request, response) => void drip(response));
      const slow = Array.from({ length: 10 }, (_, index) => `slow-${index}`);
      for (const name of slow) {
        const chart = { repoURL: `${target.chartHost.address}/${name}`, name: 'demo', version: '1.0.0' };
        await create(target, newOperator(name, { chart }));
      }
      await eventually(async () => target.chartHost.asked.length >= 4, 'the slow host is asked', 30);
      await pack(target, 'prompt', { 'templates/a.yaml': `${OBJECT}data: {a: b}` });
      await create(target, newOperator('prompt', { chartURL: 'file://attacks/prompt.tgz' }));
      const isReady = async (): Promise<boolean> => {
        const { stdout } = await target.kubectl('admin', ['get', 'kop', 'prompt', '-n', 'default', '-o', 'jsonpath={.status.status}']);
        return stdout === 'READY';
      };
      await eventually(isReady, 'an Operator beside those of the slow host is ready', 45);
      target.chartHost.answerWith((_request, response) => void response.writeHead(404).end());
      await target.kubectl('admin', ['delete', 'kop', ...slow, 'prompt', '-n', 'default', '--wait=false']);
      return slow.length + 1;
    },
  },
  {
    title: 'the address of a chart is odd',
    run: async (target) => {
      target.chartHost.answerWith((_request, response) => void response.writeHead(404).end());
      const odd = [
        'file://',
        'file://attacks/%ZZ',
        'file://attacks/..%2f..%2fetc/passwd',
        'file:///etc/passwd',
        'file://%20/',
        'file://[::1]/x',
        'https://[',
        'https://%',
      ];
      odd.push(
        'https://a..b/',
        'https://a:99999/',
        'oci://',
        'oci://[',
        'oci://a b/c',
        `file://attacks/${'x'.repeat(1900)}`,
        `https://${'a'.repeat(300)}.example/`,
      );
      odd.push(`${target.chartHost.address}/https:[x`, `${target.chartHost.address}//[x`, 'file://charts/cache-operator/Chart.yaml');
      for (const address of odd) {
        for (const spec of [{ chartURL: address }, { chart: { repoURL: address, name: 'demo', version: '1.0.0' } }])
          await assertBlocked(target, spec, /./);
      }
      return odd.length * 2;
    },
  },
  {
    title: 'an address holds a password, which everybody who may read Operators would read',
    run: async (target) => {
      const addresses = [
        'https://ann:s3cret@example.com',
        'https://s3cret@example.com',
        'https:///ann:s3cret@example.com',
        'oci://ann:s3cret@example.com',
      ];
      for (const address of addresses) {
        for (const spec of [{ chartURL: `${address}/a.tgz` }, { chart: { repoURL: address, name: 'demo', version: '1.0.0' } }]) {
          const sentence = await assertBlocked(target, spec, /must not hold a user or password.*Secret.*secretRef/);
          assert.doesNotMatch(sentence, /s3cret/);
          const created = await target.call('admin', '/api/v1/operators', { method: 'POST', body: newOperator('password', spec) });
          assert.equal(created.status, 422, created.text);
          assert.doesNotMatch(created.text, /s3cret/);
          const applied = await target.kubectl(
            'admin',
            ['apply', '--server-side', '-f', '-'],
            stringifyJson(newOperator('password', spec)),
          );
          assert.notEqual(applied.exitCode, 0);
          assert.match(applied.stderr, /must not hold a user or password/);
        }
      }
      return addresses.length * 6;
    },
  },
  {
    title: 'a chart reaches into the whole cluster without the admin being warned',
    run: async (target) => {
      await pack(target, 'reach', { 'templates/a.yaml': REACHING });
      const reported = warnedIn((await preflighted(target, newOperator('reach', { chartURL: 'file://attacks/reach.tgz' }))).json);
      const expected = [/reject requests of the whole cluster/, /every permission in the whole cluster/, /added to the ClusterRole view/];
      expected.push(/permissions in the namespace "kube-system"/, /to Group system:authenticated/, /as a hook \(pre-install\)/);
      for (const sentence of expected)
        assert.ok(
          reported.some((message) => sentence.test(message)),
          `${sentence}: ${reported.join('\n')}`,
        );
      await pack(target, 'many', {
        'templates/a.yaml': `{{ range $i := until 2001 }}\n---\n${OBJECT.replace('{name: a}', '{name: "a{{ $i }}"}')}{{ end }}`,
      });
      const many = warnedIn((await preflighted(target, newOperator('many', { chartURL: 'file://attacks/many.tgz' }))).json);
      assert.ok(
        many.some((message) => /2,001 objects/.test(message)),
        many.join('\n'),
      );
      return expected.length + 1;
    },
  },
  {
    title: 'icon and README of a chart have browsers ask strangers, or Chandlery ask its own network',
    run: async (target) => await attackPictures(target),
  },
];

async function attackPictures(target: Target): Promise<number> {
  const { address } = target.chartHost;
  const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: snaps.pictures.example.com}
spec:
  group: pictures.example.com
  scope: Namespaced
  names: {kind: Snap, plural: snaps}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`;
  const images = [
    `${address}/good.svg`,
    `${address}/page.png`,
    `${address}/huge.png`,
    'https://127.0.0.1:1/a.png',
    'https://169.254.169.254/a.png',
    'http://example.com/a.png',
  ];
  const readme = [
    ...images.map((image) => `![x](${image})`),
    '<img src="https://tracker.example/a.png" onerror="alert(1)" srcset="https://tracker.example/b 2x">',
  ];
  await pack(target, 'pictures', { 'crds/a.yaml': crd, 'README.md': readme.join('\n\n') });
  const spec = {
    chartURL: 'file://attacks/pictures.tgz',
    deletionPolicy: 'Cascade',
    catalog: { icon: 'https://tracker.example/icon.png' },
  };
  const created = await target.call('admin', '/api/v1/operators', { method: 'POST', body: newOperator('pictures', spec) });
  assert.equal(created.status, 201, created.text);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  target.chartHost.answerWith((request, response) => {
    if (request.url === '/good.svg') response.setHeader('content-type', 'text/html').end(svg);
    else if (request.url === '/page.png') response.setHeader('content-type', 'image/png').end('<html><script>alert(1)</script></html>');
    else response.end(Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(2 * 1024 * 1024)]));
  });
  const page = await eventually(
    async () => {
      const shown = await target.call('developer', '/apps/snaps.pictures.example.com?tab=readme');
      return shown.text.includes('/pictures/') && shown.text.includes('alt="x"') ? shown : undefined;
    },
    'the page of the app shows pictures',
    60,
  );
  const sources = [...page.text.matchAll(/<img[^>]*>/g)].map(([tag]) => tag);
  for (const tag of sources) assert.match(tag, / src="(\/pictures\/|\/static\/|data:)/, tag);
  assert.doesNotMatch(page.text, /tracker\.example\/b|onerror/);
  assert.match(page.headers.get('content-security-policy') ?? '', /img-src 'self' data:;/);
  const paths = sources.flatMap((tag) => / src="(\/pictures\/[^"]+)"/.exec(tag)?.[1] ?? []);
  const answers = await Promise.all(paths.map(async (path) => await target.call('developer', path)));
  const good = answers.filter(({ status }) => status === 200);
  assert.deepEqual([...new Set(good.map(({ text }) => text))], [svg], 'only the picture is served');
  for (const { headers } of good) {
    assert.equal(headers.get('content-type'), 'image/svg+xml');
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
  assert.ok(
    answers.every(({ status }) => status === 200 || status === 404),
    answers.map(({ status }) => status).join(),
  );
  const [, , signature = '', encoded = ''] = (paths[0] ?? '').split('/');
  const other = Buffer.from(`${address}/forged.svg`).toString('base64url');
  for (const path of [`/pictures/${signature}/${other}`, `/pictures/x/${encoded}`, `/pictures/${signature}/${encoded}x`])
    assert.equal((await target.call('developer', path)).status, 404, path);
  assert.ok(!target.chartHost.asked.includes('/forged.svg'));
  assert.notEqual((await target.call('anonymous', paths[0] ?? '')).status, 200);
  assert.equal((await target.kubectl('admin', ['delete', 'kop', 'pictures', '-n', 'default', '--timeout=60s'])).exitCode, 0);
  return paths.length + 4;
}

/** Asks for a preflight, which must be blocked for the reason; gives the reason. */
async function assertBlocked(target: Target, spec: object, says: RegExp): Promise<string> {
  const { status, json, text } = await preflighted(target, newOperator('hostile', spec));
  assert.equal(status, 200, `${stringifyJson(spec).slice(0, 300)}: ${text.slice(0, 500)}`);
  const sentence = blockedIn(json).join('\n');
  assert.match(sentence, says, `${stringifyJson(spec).slice(0, 300)}: ${sentence.slice(0, 1000)}`);
  return sentence;
}

async function create(target: Target, operator: ReturnType<typeof newOperator>): Promise<void> {
  const { status, text } = await target.call('admin', '/api/v1/operators', { method: 'POST', body: operator });
  assert.equal(status, 201, text);
}

async function pack(target: Target, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await writeFile(join(target.chartsDir, `${name}.tgz`), await packChart(name, chartFiles(name, '1.0.0', files)));
}

/** Sends until nobody takes it any more. */
async function pour(response: Parameters<RequestListener>[1]): Promise<void> {
  const chunk = Buffer.alloc(1024 * 1024, '#\n');
  for (let sent = 0; sent < 200 && !response.destroyed; sent += 1) {
    if (!response.write(chunk)) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), elapse(1000)]);
  }
  response.end();
}

async function drip(response: Parameters<RequestListener>[1]): Promise<void> {
  while (!response.destroyed) {
    response.write('#');
    await elapse(500);
  }
}
