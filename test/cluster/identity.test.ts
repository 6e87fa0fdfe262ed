import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, objectAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { CI_AUDIENCE, JOB_CLAIMS } from '../support/ci-issuer.ts';
import { repoRoot } from '../support/cluster.ts';
import { until } from '../support/product.ts';
import { type SharedProduct, sharedProduct } from '../support/shared-product.ts';

const HERE = `review-${process.pid}`;
/** Projects that no other Environment names. */
const [ORDERS, DEPLOYER] = [`shop-${process.pid}/orders`, `shop-${process.pid}/deployer`];
const ENVIRONMENT = `
apiVersion: chandlery.dev/v1alpha1
kind: Environment
metadata: { name: ${HERE}, annotations: { chandlery.dev/deletion-intent: Orphan } }
spec:
  namespace: ${HERE}
  projects: [{ name: ${ORDERS}, branch: main, role: viewer }, { name: ${DEPLOYER}, role: developer }]
`;

describe('a job of a CI system', () => {
  let product: SharedProduct;
  let folder: string;
  let kubectl: string;
  let file: string;

  before(async () => {
    kubectl = (await loadTools(repoRoot)).kubectl ?? 'kubectl';
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-identity-'));
    product = await sharedProduct();
    file = product.ci.authenticationFile;
    await execa(kubectl, ['--kubeconfig', product.kubeconfigPath, 'apply', '-f', '-'], { input: ENVIRONMENT });
  });
  after(async () => {
    await execa(kubectl, ['--kubeconfig', product.kubeconfigPath, 'delete', '-f', '-'], { input: ENVIRONMENT });
    await product.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const job = (claims: object = {}): Promise<string> =>
    product.ci.sign({ ...JOB_CLAIMS, project_path: ORDERS, aud: CI_AUDIENCE, ...claims });
  /** kubectl with a token alone. */
  const run = async (token: string, ...args: readonly string[]) => {
    const admin = JSON.parse(
      (await execa(kubectl, ['--kubeconfig', product.kubeconfigPath, 'config', 'view', '--raw', '-o', 'json'])).stdout,
    ) as unknown;
    const authority = join(folder, 'ca.crt');
    const cluster = ['clusters', 0, 'cluster'] as const;
    await writeFile(authority, Buffer.from(textAt(admin, ...cluster, 'certificate-authority-data') ?? '', 'base64'));
    const server = textAt(admin, ...cluster, 'server') ?? '';
    const options = [`--server=${server}`, `--certificate-authority=${authority}`, `--token=${token}`, '--kubeconfig=/dev/null'];
    return await execa(kubectl, [...options, ...args], { reject: false });
  };
  const ask = async (token: string, path: string): Promise<unknown> =>
    await (await fetch(`${product.origin}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
  const chandlery = async (args: readonly string[], input?: string) =>
    await execa(process.execPath, [join(repoRoot, 'bin', 'chandlery.mjs'), ...args, '--state', product.stateDir], {
      reject: false,
      ...(input === undefined ? {} : { input }),
    });

  it('is the same user in the same groups for Chandlery and for the api-server', async () => {
    const deep = { project_path: 'shop/web/checkout', ref_type: 'tag', ref: 'v1', environment: 'production' };
    for (const claims of [{}, deep, { project_path: 'alone', ref_protected: 'false' }]) {
      const token = await job(claims);
      const { stdout, stderr } = await run(token, 'auth', 'whoami', '-o', 'json');
      assert.notEqual(stdout, '', stderr);
      const whoami: unknown = JSON.parse(stdout);
      const me = await ask(token, '/me');
      assert.equal(textAt(whoami, 'status', 'userInfo', 'username'), textAt(me, 'user'));
      const groups = textsAt(whoami, 'status', 'userInfo', 'groups').filter((group) => group !== 'system:authenticated');
      assert.deepEqual([...new Set(groups)].sort(), textsAt(me, 'groups'));
    }
    const person = await product.token('dev-a');
    const { stdout } = await run(person, 'auth', 'whoami', '-o', 'json');
    assert.deepEqual(textAt(JSON.parse(stdout), 'status', 'userInfo', 'username'), textAt(await ask(person, '/me'), 'user'));
  });

  it('sees the Environment that names its branch, by REST and kubectl, and no other branch does', async () => {
    const names = async (token: string): Promise<unknown[]> =>
      listAt(await ask(token, '/environments'), 'items').map((one) => textAt(one, 'name'));
    const [main, other] = [await job(), await job({ ref: 'feature' })];
    await until(async () => (await names(main)).includes(HERE), 'the job sees its environment');
    assert.equal((await run(main, 'get', 'pods', '-n', HERE)).exitCode, 0);
    assert.deepEqual(await names(other), []);
    assert.match((await run(other, 'get', 'pods', '-n', HERE)).stderr, /forbidden/i);
    assert.match((await run(main, 'create', 'configmap', 'x', '-n', HERE)).stderr, /forbidden/i);
  });

  it('has what it deploys recorded: by what it applies, and by what it reports', async () => {
    const url = `${product.origin}/api/v1/environments/${HERE}`;
    const sha = 'c0ffee'.repeat(6);
    const deployer = { project_path: DEPLOYER, sub: `project_path:${DEPLOYER}:ref_type:branch:ref:main`, pipeline_id: '7', sha };
    const [developer, viewer] = [await job(deployer), await job({ sha, pipeline_id: '8' })];
    const send = async (token: string, path: string, body: object): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return (await fetch(`${url}${path}`, { method: 'POST', headers, body: stringifyJson(body) })).status;
    };
    const report = async (body: object, token = developer): Promise<number> => await send(token, '/deployments', body);
    const caches = 'caches.samples.chandlery.dev';
    await until(async () => (await report({ target: 'web' })) === 201, 'the job may report');
    assert.equal(await report({ target: 'web', outcome: 'Failed', message: 'helm: timed out' }), 201);
    assert.equal(await report({ target: 'api', pipelineURL: 'https://evil.example.com/', commit: 'other' }), 201);
    assert.equal(await report({ target: 'web', pipelineURL: 'javascript:alert(1)' }), 422);
    assert.equal(await report({ target: '../web' }), 422);
    assert.equal(await report({ target: 'web', project: 'shop/other' }), 422);
    assert.equal(await report({ target: 'web' }, viewer), 403);
    assert.equal(await report({ target: 'web' }, await job({ ref: 'feature' })), 404);
    const install = async (): Promise<number> => await send(developer, '/instances', { app: caches, name: 'orders', spec: {} });
    await until(async () => (await install()) === 201, 'the app is installed', 60_000);
    assert.equal(await install(), 409);
    assert.equal(await send(viewer, '/instances', { app: caches, name: 'theirs', spec: {} }), 403);

    const rows = listAt(await ask(viewer, `/environments/${HERE}/deployments`), 'items');
    const of = (target: string): unknown => rows.find((row) => textAt(row, 'target') === target);
    assert.deepEqual(
      rows.map((row) => textAt(row, 'target')),
      ['api', `${caches}/orders`, 'web'],
    );
    const { time, ...said } = objectAt(of('web'), 'lastFailed') as { time?: string };
    assert.ok(Date.parse(time ?? '') > 0);
    const pipelineURL = `${product.ci.url}/${DEPLOYER}/-/pipelines/7`;
    const proof = { project: DEPLOYER, ref: 'main', commit: sha, pipelineURL, user: `ci:${DEPLOYER}` };
    assert.deepEqual(said, { ...proof, target: 'web', outcome: 'Failed', message: 'helm: timed out' });
    assert.equal(at(of('web'), 'running'), undefined);
    assert.equal(textAt(of('api'), 'running', 'pipelineURL'), pipelineURL, 'the token counts more than the body');
    assert.equal(textAt(of(`${caches}/orders`), 'lastSuccessful', 'commit'), sha);
    assert.equal(textAt(of(`${caches}/orders`), 'lastFailed', 'message'), 'AlreadyExists');
    assert.equal(textAt(await ask(viewer, `/environments/${HERE}/instances/${caches}/orders`), 'createdBy'), `ci:${DEPLOYER}`);
    const authorization = `Bearer ${viewer}`;
    const csv = await (await fetch(`${url}/deployments?format=csv`, { headers: { authorization } })).text();
    assert.match(csv, new RegExp(`^web,Failed,.*,${DEPLOYER},main,${sha},${pipelineURL},ci:${DEPLOYER},helm: timed out\r$`, 'm'));
    const board = await (
      await fetch(url.replace('/api/v1', '') + '/workloads', { headers: { authorization, accept: 'text/html' } })
    ).text();
    assert.match(board, new RegExp(`<a href="${pipelineURL}" rel="noopener noreferrer nofollow"`));
  });

  it('is trusted by the configuration that `chandlery identity config` prints', async () => {
    const { stdout, stderr } = await chandlery(['identity', 'config', '--authentication-config', file]);
    assert.equal(`${stdout}\n`, await readFile(join(product.stateDir, 'run', 'authentication.yaml'), 'utf8'), stderr);
  });

  it('is explained by `chandlery identity check`, with the Environments that it sees', async () => {
    const good = await chandlery(['identity', 'check', '--authentication-config', file, '--token', '-'], await job());
    assert.equal(good.exitCode, 0, good.stdout + good.stderr);
    assert.match(good.stdout, new RegExp(`ok {5}token +accepted\n {2}user +ci:${ORDERS}\n {2}group +ci:${ORDERS}\n`));
    assert.match(good.stdout, new RegExp(`Environments: ${HERE}$`, 'm'));
    const bad = await chandlery(['identity', 'check', '--authentication-config', file, '--token', '-'], await job({ aud: 'other' }));
    assert.equal(bad.exitCode, 3);
    assert.match(bad.stdout, /failed token +bearer token: it is meant for another audience/);
    const opaque = await chandlery(['identity', 'check', '--authentication-config', file, '--token', '-'], 'opaque');
    assert.equal(opaque.exitCode, 2);
    assert.match(opaque.stderr, /it is not a JWT/);
  });
});
