import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { parse } from 'yaml';
import { listAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import { CI_AUDIENCE, JOB_CLAIMS } from '../support/ci-issuer.ts';
import { repoRoot } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { until } from '../support/product.ts';
import { type SharedProduct, sharedProduct } from '../support/shared-product.ts';

// Runs in test:all: it compares what many programs are answered.

const [A, B] = [`same-a-${process.pid}`, `same-b-${process.pid}`];
/** A project that no other Environment names. */
const PROJECT = `same-${process.pid}/orders`;
/** Two Environments, and what is in each. */
const ENVIRONMENTS: readonly string[] = [A, B];
const WORLD = `
apiVersion: chandlery.dev/v1alpha1
kind: Environment
metadata: { name: ${A} }
spec:
  groups: [{ name: 'oidc:readers', role: viewer }, { name: 'oidc:leads', role: maintainer }]
  subjects: [{ kind: User, name: 'oidc:una', role: developer }]
  projects: [{ name: ${PROJECT}, branch: main, role: developer }]
---
apiVersion: chandlery.dev/v1alpha1
kind: Environment
metadata: { name: ${B} }
spec:
  groups: [{ name: 'oidc:builders', role: developer }, { name: 'oidc:leads', role: maintainer }]
`;

/** What kubectl says of a kind that another test adds or removes at this moment: `kubectl get managed-apps` lists the kinds of all apps. */
const OTHER_KIND = /cannot list resource "\w+" in API group "apps\.chandlery\.dev"|could not find the requested resource/;

interface Case {
  readonly who: string;
  readonly token: () => Promise<string>;
  /** The Environments that they see. */
  readonly sees: readonly string[];
  /** Those whose content they see, where it is another list. */
  readonly reads?: readonly string[];
}

describe('what somebody sees by page, by REST and by kubectl with their own token', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let folder: string;
  let kubectl: string;
  let admin: string;

  before(async () => {
    kubectl = (await loadTools(repoRoot)).kubectl ?? 'kubectl';
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-same-list-'));
    await symlink(join(repoRoot, 'bin', 'chandlery.mjs'), join(folder, 'chandlery'));
    product = await sharedProduct();
    admin = product.kubeconfigPath;
    await execa(kubectl, ['--kubeconfig', admin, 'apply', '-f', '-'], { input: WORLD });
    for (const namespace of ENVIRONMENTS) {
      const make = ['create', 'configmap', `case-${namespace}`, '-n', namespace];
      await until(async () => (await execa(kubectl, ['--kubeconfig', admin, ...make], { reject: false })).exitCode === 0, namespace);
    }
    await until(async () => (await byRest(await person('lea', ['leads']))).length === 4, 'roles are bound');
    await until(async () => (await byRest(await job())).length === 2, 'the project is bound');
  });
  after(async () => {
    await execa(kubectl, ['--kubeconfig', admin, 'delete', '-f', '-'], { input: WORLD });
    await product.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const person = async (name: string, groups: readonly string[]): Promise<string> => {
    const people = [{ name, displayName: name, email: `${name}@example.com`, groups, role: name }];
    return await mintDemoToken({ stateDir: product.stateDir, name, people });
  };
  const job = async (claims: object = {}): Promise<string> =>
    await product.ci.sign({ ...JOB_CLAIMS, project_path: PROJECT, aud: CI_AUDIENCE, ...claims });

  const get = async (token: string, path: string, accept: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${product.origin}${path}`, { headers: { authorization: `Bearer ${token}`, accept }, redirect: 'manual' });
    return { status: answer.status, text: await answer.text() };
  };
  const configMaps = (environment: string): string => `/environments/${environment}/resources?resource=configmaps&search=case-`;

  const byPage = async (token: string): Promise<string[]> => {
    const { text } = await get(token, '/environments', 'text/html');
    const seen = ENVIRONMENTS.filter((name) => text.includes(`href="/environments/${name}"`));
    const pages = await Promise.all(ENVIRONMENTS.map(async (name) => (await get(token, configMaps(name), 'text/html')).text));
    const names = ENVIRONMENTS.filter((name, index) => (pages[index] ?? '').includes(`/resources/configmaps/case-${name}"`));
    return [...seen, ...names.map((name) => `case-${name}`)];
  };
  const byRest = async (token: string): Promise<string[]> => {
    const items = async (path: string): Promise<string[]> =>
      listAt(JSON.parse((await get(token, `/api/v1${path}`, 'application/json')).text), 'items').map((one) => textAt(one, 'name') ?? '');
    const seen = (await items('/environments?limit=500')).filter((name) => ENVIRONMENTS.includes(name)).sort();
    const names = await Promise.all(ENVIRONMENTS.map(async (name) => await items(configMaps(name))));
    return [...seen, ...names.flat()];
  };
  const byKubectl = async (token: string): Promise<string[]> => {
    const config = ['clusters', 0, 'cluster'] as const;
    const content: unknown = parse(await readFile(admin, 'utf8'));
    const authority = join(folder, 'ca.crt');
    await writeFile(authority, Buffer.from(textAt(content, ...config, 'certificate-authority-data') ?? '', 'base64'));
    const options = [`--server=${textAt(content, ...config, 'server') ?? ''}`, `--certificate-authority=${authority}`, `--token=${token}`];
    const names = async (...args: readonly string[]): Promise<string[]> => {
      const { stdout, stderr, exitCode } = await execa(kubectl, [...options, '--kubeconfig=/dev/null', ...args, '-o', 'name'], {
        reject: false,
      });
      assert.ok(exitCode === 0 || /forbidden/i.test(stderr), stderr);
      return stdout.split('\n').map((line) => line.replace(/^[^/]*\//, ''));
    };
    const environments = await Promise.all(ENVIRONMENTS.map(async (name) => await names('get', 'environment', name)));
    const objects = await Promise.all(ENVIRONMENTS.map(async (name) => await names('get', 'configmaps', '-n', name)));
    return [...environments.flat().filter((name) => name !== ''), ...objects.flat().filter((name) => name.startsWith('case-'))];
  };

  const both = [...ENVIRONMENTS];
  const CASES: readonly Case[] = [
    { who: 'a viewer by a group', token: () => person('vera', ['readers']), sees: [A] },
    { who: 'a developer by a group', token: () => person('dan', ['builders']), sees: [B] },
    { who: 'a maintainer of both environments', token: () => person('lea', ['leads']), sees: both },
    { who: 'somebody named in the Environment', token: () => person('una', ['others']), sees: [A] },
    { who: 'somebody in two groups', token: () => person('tom', ['readers', 'builders']), sees: both },
    { who: 'a stranger', token: () => person('sam', ['strangers']), sees: [] },
    { who: 'somebody without groups', token: () => person('nia', []), sees: [] },
    { who: 'an admin, who is no member', token: () => person('ada', ['platform']), sees: both, reads: [] },
    { who: 'a CI job of the branch that is named', token: () => job(), sees: [A] },
    { who: 'a CI job of another branch', token: () => job({ ref: 'feature' }), sees: [] },
  ];
  for (const { who, token, sees, reads = sees } of CASES) {
    it(`is the same for ${who}`, async () => {
      const own = await token();
      const expected = [...sees, ...reads.map((name) => `case-${name}`)];
      const [page, rest, cli] = await Promise.all([byPage(own), byRest(own), byKubectl(own)]);
      assert.deepEqual({ page, rest, cli }, { page: expected, rest: expected, cli: expected });
    });
  }

  it('is nothing for a service account by page and REST, which know no such issuer', async () => {
    const { stdout } = await execa(kubectl, ['--kubeconfig', admin, 'create', 'token', 'default', '-n', A]);
    assert.equal((await get(stdout, '/api/v1/environments', 'application/json')).status, 401);
  });

  /** The commands of a pipeline of the docs, as a runner runs them. */
  const pipeline = async (heading: string): Promise<readonly string[]> => {
    const section = (await readFile(join(repoRoot, 'docs', 'pipelines.md'), 'utf8')).split(`## ${heading}\n`)[1] ?? '';
    const file: unknown = parse(/```yaml\n(.*?)```/s.exec(section)?.[1] ?? '');
    const steps = listAt(file, 'jobs', 'deploy', 'steps').map((step) => textAt(step, 'run') ?? '');
    return steps.length > 0 ? steps : textsAt(file, 'deploy', 'script');
  };
  const runner = async (script: string, env: Readonly<Record<string, string>>) => {
    const PATH = [folder, join(repoRoot, 'node_modules/.bin'), dirname(kubectl), process.env['PATH']].join(':');
    const run = async () => {
      // kubectl remembers in its home which kinds there are.
      const all = { PATH, HOME: await mkdtemp(join(folder, 'home-')), TMPDIR: folder, CHANDLERY_SERVER: product.origin, ...env };
      return await execa('bash', ['-e', '-c', script], { env: all, extendEnv: false, reject: false });
    };
    const isOver = async () => {
      const ended = await run();
      return !OTHER_KIND.test(ended.stderr) && ended;
    };
    return await eventually(isOver, 'the script meets no kind that comes or goes');
  };

  it('is what a pipeline of GitLab works with, by the file of the docs', async () => {
    const script = (await pipeline('GitLab')).join('\n');
    const { stdout, stderr, exitCode } = await runner(`${script}\nkubectl auth whoami\nkubectl get configmaps -o name`, {
      CHANDLERY_TOKEN: await job(),
    });
    assert.equal(exitCode, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`deploying to ${A} in the namespace ${A}`));
    assert.match(stdout, new RegExp(`configmap/case-${A}`));
    const file = join(folder, 'chandlery.kubeconfig');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.ok(!(await readFile(file, 'utf8')).includes('eyJ'));
  });

  it('is what a workflow of GitHub works with, by the file of the docs, with tokens that it asks for', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const audience = new URL(request.url ?? '', 'http://local.invalid').searchParams.get('audience') ?? '';
      asked.push(`${request.headers.authorization ?? ''} ${audience}`);
      // The product of this test takes one audience for CI, whatever its port.
      void job().then((value) => response.end(JSON.stringify({ value })));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const environment = join(folder, 'github-env');
    const env = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-runner',
      GITHUB_ENV: environment,
    };
    try {
      const [first = '', ...rest] = await pipeline('GitHub Actions');
      assert.equal((await runner(first, env)).stderr, '');
      const variables = Object.fromEntries(
        (await readFile(environment, 'utf8')).split('\n').map((line) => line.split('=', 2) as [string, string]),
      );
      const { stdout, stderr, exitCode } = await runner([...rest, 'kubectl get configmaps -o name'].join('\n'), { ...env, ...variables });
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, new RegExp(`configmap/case-${A}`));
      assert.deepEqual([...new Set(asked)], [`Bearer of-the-runner ${product.origin}`]);
    } finally {
      server.close();
    }
  });

  it('is denied to a job with the words that say which claim is missing', async () => {
    const context = async (token: string): Promise<string> => {
      const { stderr, exitCode } = await runner('chandlery ci context', token === '' ? {} : { CHANDLERY_TOKEN: token });
      assert.notEqual(exitCode, 0);
      assert.ok(token === '' || !stderr.includes(token));
      return stderr;
    };
    assert.match(await context(''), /the job has no ID token\. GitLab: id_tokens: .*GitHub Actions: permissions: \{id-token: write\}/);
    assert.match(await context(await job({ aud: 'other' })), /meant for another audience.*its audience \(aud\) "other"/s);
    const nameless = await product.ci.sign({ sub: 'x', aud: CI_AUDIENCE });
    assert.match(await context(nameless), /it has no claim project_path or repository or project, which names the project/);
    const feature = await context(await job({ ref: 'feature' }));
    const words = `no Environment names the project ${PROJECT} on feature: .*spec\\.projects.*The token has no claim environment`;
    assert.match(feature, new RegExp(words, 's'));
    assert.match(await context(await person('vera', ['readers'])), /"oidc:vera" is no CI job/);
  });
});
