import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, it, test } from 'node:test';
import { AppError } from '../../../src/domain/core/errors.ts';
import { parseManifest } from '../../../src/domain/kubernetes/manifest.ts';
import { createParser } from '../../../src/helm/parse-in-worker.ts';
import { postRendered } from '../../../src/helm/post-renderer.ts';
import { transform } from '../../../src/helm/transform.ts';

const PROGRAM = fileURLToPath(new URL('../../../src/helm/post-renderer.sh', import.meta.url));
const FROM = '  annotations:\n    postrenderer.helm.sh/postrender-filename: x.yaml\n';
const MODERN = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n${FROM}data:\n  "true": "no"\n`;
const LEGACY =
  'apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: d, annotations: {on: "yes", at: "1:30", date: "2020-01-01"}}\nspec: {template: {metadata: {labels: {a: "012"}}}}\n';
const CRD = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\nspec: {}\n';
const HOOK = CRD.replace('name: a.b.c', 'name: h.b.c, annotations: {"helm.sh/hook": crd-install, keep: me}');

test('each object leaves as one document that every parser reads alike', () => {
  const written = MODERN.replace('"true"', 'yes').replace('name: a', 'name: !!str a # comment');
  for (const mode of ['uplift', 'reveal'] as const)
    assert.equal(transform(`---\n${written}---\n${MODERN}`, { mode }), `${MODERN}---\n${MODERN}`);
});

test('a list of any kind leaves as its objects, each from the file of the list, and a hook where the list is one', () => {
  const list = (annotations: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: l, annotations: {postrenderer.helm.sh/postrender-filename: x.yaml${annotations}}}\nitems:\n`;
  const plain = '- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {yes: "no"}}\n';
  const hook = '- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {helm.sh/hook: test}}, data: {yes: "no"}}\n';
  const lifted = (text: string): string => transform(text, { mode: 'uplift' });
  assert.equal(lifted(list('') + plain), MODERN);
  assert.equal(lifted(list('') + hook), MODERN, 'to Helm an item is no hook');
  const annotated = MODERN.replace('x.yaml', 'x.yaml\n    helm.sh/hook: pre-install\n    helm.sh/hook-weight: "-5"');
  assert.equal(lifted(list(', helm.sh/hook: pre-install, helm.sh/hook-weight: "-5"') + plain), annotated);
  assert.match(lifted('apiVersion: v1\nkind: List\nitems:\n'), /^# nothing/);
  assert.throws(() => lifted('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: l}\nitems: {a: b}\n'), /items: it is not a list/);
});

test('of an Operator, objects that belong to Chandlery are rejected when Helm is about to apply them, in lists too', () => {
  const binding =
    '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: chandlery-admin}}';
  for (const text of [binding, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, items: [{kind: A, items: [${binding}]}]}`])
    assert.throws(() => transform(`${text}\n`, { mode: 'uplift' }), { code: 'ObjectReserved', message: /it grants chandlery-admin/ });
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
  const scope = { namespace: 'a', allowed: [], namespacedKinds: new Set(['/ConfigMap', '/Secret']), clusterKinds: new Set<string>() };
  const record = 'apiVersion: v1\nkind: Secret\nmetadata: {name: r}\ntype: helm.sh/release.v1\n';
  const lifted = (...documents: readonly string[]): string => transform(documents.join('---\n'), { mode: 'uplift', scope });
  assert.equal(lifted(MODERN), MODERN);
  assert.throws(() => lifted(MODERN, record), /Secret "r": it is a release record, which only Helm writes/);
  assert.throws(() => lifted(LEGACY), /Deployment "d": this cluster does not serve Deployment/);
});

test('when nothing is left, a comment is, which Helm takes for no objects', () => {
  assert.match(transform(CRD, { mode: 'uplift' }), /^# /);
  assert.match(transform('', { mode: 'uplift' }), /^# /);
});

test('revealing shows the hook that Helm drops and touches nothing else', () => {
  const output = transform([MODERN, HOOK].join('---\n'), { mode: 'reveal' });
  assert.ok(output.startsWith(MODERN));
  assert.deepEqual(parseManifest(output)[1]?.metadata.annotations, { keep: 'me', 'chandlery.dev/origin': 'hook' });
});

/** What helm would get from its post-renderer for such objects, and how that ended; helm itself is left out. */
async function throughProgram(objects: string, transformed = createParser().transform): Promise<{ output: string; code: number }> {
  const run = async (options: readonly string[], channel: (stream: Duplex) => void): Promise<{ output: string; code: number }> => {
    const program = spawn('/bin/sh', [PROGRAM, options.at(-1) ?? ''], { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
    const [stdin, stdout, , stream] = program.stdio;
    assert.ok(stdin !== null && stdout !== null && stream instanceof Duplex);
    channel(stream);
    stdin.on('error', () => undefined).end(objects);
    const [output, [code]] = await Promise.all([collect(stdout), once(program, 'exit') as Promise<[number]>]);
    if (code !== 0) throw new AppError('HelmFailed', 'helm says nothing of it');
    return { output, code };
  };
  return await postRendered({ mode: 'uplift', what: 'install', secrets: ['hunter2'], transform: transformed, run });
}

describe('the program that helm starts', () => {
  it('gives out what was made of the objects, to the letter, whatever a shell might see in it', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: "$HOME `id` \\\\n %s"\n  b: |\n    -n\n\n    é\n';
    assert.equal((await throughProgram(text)).output, text);
    assert.equal((await throughProgram('')).output, '# nothing is left to install\n');
    const large = `${MODERN}  large: "${'é'.repeat(1024 * 1024)}"\n`;
    assert.equal((await throughProgram(`${large}---\n${CRD}`)).output, large);
  });

  it('fails with what cannot be carried over, without a secret', async () => {
    const policy = 'apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: hunter2}\n';
    await assert.rejects(throughProgram(policy), (error: AppError) => {
      assert.deepEqual([error.code, error.message.includes('hunter2')], ['UpliftFailed', false]);
      assert.match(error.message, /^helm install: uplift: PodSecurityPolicy .*: Kubernetes has no PodSecurityPolicy/);
      return true;
    });
  });

  it('fails with objects of more than 16 MiB, of which it reads no more', async () => {
    const message = 'helm install: the chart renders more than 16 MiB of objects';
    await assert.rejects(throughProgram('a'.repeat(40 * 1024 * 1024)), { code: 'HelmFailed', message });
  });

  it('fails when nobody answers', async () => {
    const program = spawn('/bin/sh', [PROGRAM, 'end'], { stdio: ['pipe', 'pipe', 'ignore', 'pipe'] });
    const [stdin, stdout, , stream] = program.stdio;
    assert.ok(stdin !== null && stdout !== null);
    stdin.end(MODERN);
    stream?.once('data', () => stream.destroy());
    // With 1, or by SIGPIPE when the shell itself was writing: helm takes both for a failure.
    const [output, [code, signal]] = await Promise.all([collect(stdout), once(program, 'exit') as Promise<[number | null, string | null]>]);
    assert.deepEqual([output, signal === 'SIGPIPE' ? 1 : code], ['', 1]);
  });

  it('is no failure of ours when helm ends before it', async () => {
    const run = async (_options: readonly string[], channel: (stream: Duplex) => void): Promise<never> => {
      const program = spawn('/bin/sh', ['-c', 'exit 1'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
      const [, , , stream] = program.stdio;
      assert.ok(stream instanceof Duplex);
      channel(stream);
      await once(program, 'exit');
      throw new AppError('ClusterUnavailable', 'it is away');
    };
    const never = async (): Promise<never> => await Promise.reject(new Error('nothing to transform'));
    await assert.rejects(postRendered({ mode: 'uplift', what: 'install', secrets: [], transform: never, run }), {
      code: 'ClusterUnavailable',
    });
  });
});

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
