import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { parseManifest } from '../../../src/domain/kubernetes/manifest.ts';
import { transform } from '../../../src/helm/post-render/transform.ts';

const PROGRAM = fileURLToPath(new URL('../../../src/helm/post-render/main.ts', import.meta.url));
const MODERN =
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {postrenderer.helm.sh/postrender-filename: \'x.yaml\'}\ndata:\n  yes: "no"   # kept\n';
const LEGACY =
  'apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: d, annotations: {on: "yes", at: "1:30", date: "2020-01-01"}}\nspec: {template: {metadata: {labels: {a: "012"}}}}\n';
const CRD = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\nspec: {}\n';
const HOOK = CRD.replace('name: a.b.c', 'name: h.b.c, annotations: {"helm.sh/hook": crd-install, keep: me}');

test('what needs nothing leaves as it came, to the letter', () => {
  assert.equal(transform(`---\n${MODERN}---\n${MODERN}`, { mode: 'uplift' }), `${MODERN.trimEnd()}\n---\n${MODERN}`);
});

test('CRDs are taken out and legacy objects carried over, text that looks like something else staying text', () => {
  const output = transform([MODERN, CRD, HOOK, LEGACY].join('---\n'), { mode: 'uplift' });
  const [first, deployment, ...more] = parseManifest(output);
  assert.deepEqual([first?.kind, more.length], ['ConfigMap', 0]);
  assert.equal(deployment?.apiVersion, 'apps/v1');
  assert.deepEqual(deployment?.metadata.annotations, { true: 'yes', at: '1:30', date: '2020-01-01' });
  assert.deepEqual(deployment?.spec, { template: { metadata: { labels: { a: '012' } } }, selector: { matchLabels: { a: '012' } } });
});

test('of an instance, objects out of its scope are named, and so are those that belong to Chandlery or Helm', () => {
  const scope = { namespace: 'a', allowed: [], namespacedKinds: new Set(['/ConfigMap', '/Secret']) };
  const record = 'apiVersion: v1\nkind: Secret\nmetadata: {name: r}\ntype: helm.sh/release.v1\n';
  const lifted = (...documents: readonly string[]): string => transform(documents.join('---\n'), { mode: 'uplift', scope });
  assert.equal(lifted(MODERN), MODERN);
  assert.throws(() => lifted(MODERN, record), /Secret "r": it is a release record, which only Helm writes/);
  assert.throws(() => lifted(LEGACY), /Deployment "d": it is cluster-scoped, or its kind is not served/);
});

test('when nothing is left, a comment is, which Helm takes for no objects', () => {
  assert.match(transform(CRD, { mode: 'uplift' }), /^# /);
  assert.match(transform('', { mode: 'uplift' }), /^# /);
});

test('revealing shows the hook that Helm drops and touches nothing else', () => {
  const output = transform([MODERN, HOOK].join('---\n'), { mode: 'reveal' });
  assert.ok(output.startsWith(MODERN.trimEnd()));
  assert.deepEqual(parseManifest(output)[1]?.metadata.annotations, { keep: 'me', 'chandlery.dev/origin': 'hook' });
});

test('the program rejects what cannot be carried over, and says so', async () => {
  const program = spawn(process.execPath, [PROGRAM], { stdio: 'pipe' });
  const stderr = collect(program.stderr);
  program.stdin.end('apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: p}\n');
  const [code] = (await once(program, 'exit')) as [number];
  assert.equal(code, 1);
  assert.match(await stderr, /uplift: PodSecurityPolicy "p": Kubernetes has no PodSecurityPolicy/);
});

test('the program ends when the one who reads from it is gone', async () => {
  const program = spawn(process.execPath, [PROGRAM], { stdio: 'pipe' });
  program.stdout.destroy();
  program.stdin.end(`${MODERN}---\n`.repeat(5000));
  const [code] = (await once(program, 'exit', { signal: AbortSignal.timeout(20_000) })) as [number];
  assert.equal(code, 1);
});

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
