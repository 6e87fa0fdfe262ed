import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { mergePatchBetween } from '../../src/domain/core/merge-patch.ts';
import { objectAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { repoRoot } from '../support/cluster.ts';
import { ADMIN_CLAIMS, signedToken } from '../attacks/signed-token.ts';
import { until } from '../support/product.ts';
import { addEnvironment, addToCatalog, sharedProduct, type SharedProduct } from '../support/shared-product.ts';

// Runs in test:all: it runs the commands that pages print.

const run = promisify(execFile);
const CACHES = 'caches.samples.chandlery.dev';
const HERE = `equals-${process.pid}`;
/** An environment of another team, with nothing in it. */
const THEIRS = `others-${process.pid}`;
const INSTANCES = `/environments/${HERE}/instances`;
const NAME = 'same';
/** Texts that a parser of YAML 1.1 takes for something else, and what a shell would. */
const SPEC = {
  version: '8.0',
  replicas: 2,
  memory: '64Mi',
  exposure: {
    annotations: { on: 'off', y: 'yes', time: '1:30', day: '2024-01-01', octal: '0777', number: '1e3', quoted: `it's "$(id)"\n#` },
  },
};

describe('each equivalent leaves the object that the page makes', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const instance = `${INSTANCES}/${CACHES}/${NAME}`;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chandlery-equivalents-'));
    product = await sharedProduct();
    await addEnvironment(product, HERE);
    const groups = '[{name: "oidc:team-b", role: developer}, {name: "oidc:platform", role: viewer}]';
    const text = `apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: ${THEIRS}}\nspec: {groups: ${groups}}\n`;
    await addToCatalog(product, join('environments', `${THEIRS}.yaml`), text);
    const { kubectl = 'kubectl' } = await loadTools(repoRoot);
    const PATH = `${dirname(kubectl)}:${process.env['PATH'] ?? ''}`;
    env = { PATH, HOME: folder, KUBECONFIG: await kubeconfigOf('dev-a'), TOKEN: await product.token('dev-a') };
    await until(
      async () => textAt((await post('?dryRun=All', SPEC)).body, 'verdict') === 'Ready',
      'the app and the environment are there',
      180_000,
    );
    await until(async () => (await product.api('dev-b', `/environments/${THEIRS}`)).status === 200, 'theirs is there', 60_000);
  });
  after(async () => {
    await product.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const post = async (query: string, spec: object) =>
    await product.api('dev-a', `${INSTANCES}${query}`, { method: 'POST', body: { app: CACHES, name: NAME, spec } });
  const shell = async (script: string): Promise<string> => (await run('sh', ['-ec', script], { env })).stdout;
  /** A file by which kubectl is a demo person, without a secret in it. */
  const kubeconfigOf = async (person: string): Promise<string> => {
    const args = ['bin/chandlery.mjs', 'kubeconfig', '--as', person, '--state', product.stateDir];
    const { stdout } = await run(process.execPath, args, { cwd: repoRoot });
    assert.doesNotMatch(stdout, /client-key-data|client-certificate-data|token:/);
    const file = join(folder, `${person}.kubeconfig`);
    await writeFile(file, stdout);
    return file;
  };
  /** What somebody chose of an object: not who wrote it when, and not what its operator adds in its own time. */
  const stored = async (): Promise<object> => {
    const { body } = await product.api('dev-a', instance);
    const { labels, annotations } = objectAt(body, 'object', 'metadata');
    const { [OURS.createdBy]: _createdBy, ...chosen } = objectAt(annotations);
    return { spec: objectAt(body, 'object', 'spec'), labels, annotations: chosen };
  };
  const remove = async (): Promise<void> => {
    await product.api('dev-a', instance, { method: 'DELETE' });
    await until(async () => (await product.api('dev-a', instance)).status === 404, 'it is gone', 60_000);
  };
  /** A form of the pages, sent as it is. */
  const form = async (path: string, fields: Record<string, string>): Promise<Response> =>
    await fetch(`${product.origin}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Authorization: `Bearer ${env['TOKEN'] ?? ''}`, Accept: 'text/html' },
      body: new URLSearchParams(fields),
    });
  const FIELDS = {
    environment: HERE,
    name: NAME,
    'v.spec.version': SPEC.version,
    'v.spec.replicas': String(SPEC.replicas),
    'v.spec.memory': SPEC.memory,
    'n.spec.exposure.annotations': String(Object.keys(SPEC.exposure.annotations).length),
    ...Object.fromEntries(
      Object.entries(SPEC.exposure.annotations).flatMap(([key, value], index) => [
        [`k.spec.exposure.annotations[${index}]`, key],
        [`v.spec.exposure.annotations[${index}]`, value],
      ]),
    ),
  };

  it('by a kubeconfig of the person, with exactly the permissions that the pages have', async () => {
    const listed = `kubectl get ${CACHES} -o name`;
    assert.equal(await shell(`${listed} -n ${HERE}`), '');
    const denied = new RegExp(`User "oidc:dev-a" cannot list resource "caches".*in the namespace "${THEIRS}"`);
    await assert.rejects(shell(`${listed} -n ${THEIRS}`), denied);
    const admin = `--kubeconfig ${await kubeconfigOf('admin')}`;
    assert.equal(await shell(`${listed} -n ${THEIRS} ${admin}`), '');
    for (const person of ['dev-a', 'admin']) {
      const { body: me } = await product.api(person, '/me');
      const itself = JSON.parse(await shell(`kubectl auth whoami -o json --kubeconfig ${await kubeconfigOf(person)}`)) as unknown;
      assert.equal(textAt(itself, 'status', 'userInfo', 'username'), textAt(me, 'user'));
      const groups = textsAt(itself, 'status', 'userInfo', 'groups').filter((group) => group !== 'system:authenticated');
      assert.deepEqual(groups.toSorted(), textsAt(me, 'groups'));
    }
  });

  it('for nobody whom an issuer names after the cluster, nor by a token of a browser', async () => {
    const ask = async (token: string): Promise<string> => await shell(`kubectl auth whoami --kubeconfig ${await kubeconfigWith(token)}`);
    const kubeconfigWith = async (token: string): Promise<string> => {
      const { clusters } = parse(await readFile(product.kubeconfigPath, 'utf8')) as { clusters: object };
      const context = { name: 'it', context: { cluster: 'chandlery', user: 'it' } };
      const config = { clusters, users: [{ name: 'it', user: { token } }], contexts: [context], 'current-context': 'it' };
      const file = join(folder, 'token.kubeconfig');
      await writeFile(file, stringifyJson(config));
      return file;
    };
    const nobody = { displayName: 'N', email: 'n@example.com', role: 'nobody' };
    const mint = async (person: { name: string; groups: string[] }): Promise<string> =>
      await mintDemoToken({ stateDir: product.stateDir, name: person.name, people: [{ ...nobody, ...person }] });
    assert.match(await ask(await mint({ name: 'somebody', groups: [HERE] })), /oidc:somebody/);
    for (const person of [
      { name: 'system:admin', groups: [] },
      { name: 'somebody', groups: ['system:masters'] },
    ]) {
      await assert.rejects(ask(await mint(person)), /Unauthorized/, person.name);
    }
    await assert.rejects(ask(await signedToken(product, { ...ADMIN_CLAIMS })), /Unauthorized/);
  });

  it('for an installation: kubectl, curl and the file for git', async () => {
    const made = await form(`/apps/${CACHES}/install`, { ...FIELDS, _do: 'install' });
    assert.equal(made.headers.get('location'), instance, await made.text());
    assert.equal(textAt((await product.api('dev-a', instance)).body, 'createdBy'), 'oidc:dev-a');
    const byPage = await stored();
    assert.deepEqual(objectAt(byPage, 'spec', 'exposure', 'annotations'), SPEC.exposure.annotations);
    await remove();

    const { body } = await post('?dryRun=All', SPEC);
    const file = await form(`/apps/${CACHES}/install`, { ...FIELDS, _do: 'file' });
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename=caches-same\.yaml$/);
    await writeFile(join(folder, 'caches-same.yaml'), await file.text());
    const ways = {
      kubectl: textAt(body, 'commands', 'kubectl') ?? '',
      curl: textAt(body, 'commands', 'curl') ?? '',
      file: `kubectl apply --server-side -f '${join(folder, 'caches-same.yaml')}'`,
    };
    for (const [way, script] of Object.entries(ways)) {
      await shell(script);
      assert.deepEqual(await stored(), byPage, way);
      await remove();
    }
  });

  it('for a change, fields that go included: kubectl and curl', async () => {
    const wanted = { ...SPEC, replicas: 1, exposure: { annotations: { on: 'on', day: '2024-01-01' } } };
    const change = async (query: string) => {
      const spec = mergePatchBetween(SPEC, wanted);
      return await product.api('dev-a', `${instance}${query}`, { method: 'PATCH', body: { spec } });
    };
    await post('', SPEC);
    const { body } = await change('?dryRun=All');
    assert.equal((await change('')).status, 200);
    const byApi = await stored();
    assert.deepEqual(objectAt(byApi, 'spec', 'exposure', 'annotations'), wanted.exposure.annotations);
    await remove();
    for (const way of ['kubectl', 'curl']) {
      await post('', SPEC);
      await shell(textAt(body, 'commands', way) ?? '');
      assert.deepEqual(await stored(), byApi, way);
      await remove();
    }
  });
});
