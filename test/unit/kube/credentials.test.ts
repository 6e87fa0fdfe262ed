import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { execa } from 'execa';
import { createCredentials } from '../../../src/kube/transport/credentials.ts';

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chandlery-credentials-'));
});
after(() => rm(folder, { recursive: true }));

async function kubeconfig(user: string, currentContext = 'demo'): Promise<string> {
  const path = join(folder, 'kubeconfig');
  await writeFile(
    path,
    `apiVersion: v1
kind: Config
current-context: ${currentContext}
clusters: [{name: c, cluster: {server: "https://cluster.example:6443/prefix"}}]
contexts: [{name: demo, context: {cluster: c, user: u}}, {name: torn, context: {cluster: c, user: nobody}}]
users: [{name: u, user: ${user}}]
`,
  );
  return path;
}

describe('credentials', () => {
  test('come as a token, or as user and password', async () => {
    const bearer = await createCredentials({ kubeconfigPath: await kubeconfig('{token: abc}') }).current();
    const basic = await createCredentials({ kubeconfigPath: await kubeconfig('{username: a, password: b}') }).current();
    assert.deepEqual([bearer.authorization, basic.authorization], ['Bearer abc', 'Basic YTpi']);
    assert.equal(bearer.server.href, 'https://cluster.example:6443/prefix');
  });

  test('come from a file beside the kubeconfig, and a new one is read after they were rejected', async () => {
    await writeFile(join(folder, 'token'), 'one\n');
    const source = createCredentials({ kubeconfigPath: await kubeconfig('{tokenFile: token}') }, () => 0);
    assert.equal((await source.current()).authorization, 'Bearer one');
    await writeFile(join(folder, 'token'), 'two\n');
    assert.equal((await source.current()).authorization, 'Bearer one');
    source.forget();
    assert.equal((await source.current()).authorization, 'Bearer two');
  });

  test('come from an exec plugin', async () => {
    const answer = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 'from-plugin' } };
    const plugin = `{exec: {apiVersion: client.authentication.k8s.io/v1, command: printf, args: ['%s', '${JSON.stringify(answer)}']}}`;
    const { authorization } = await createCredentials({ kubeconfigPath: await kubeconfig(plugin) }).current();
    assert.equal(authorization, 'Bearer from-plugin');
  });

  for (const [why, user, context, message] of [
    ['the context is not there', '{token: abc}', 'other', /context "other": there is no such context; there are "demo", "torn"/],
    ['the user is not there', '{token: abc}', 'torn', /context "torn": its cluster or user is not there/],
    ['it impersonates by itself', '{token: abc, as: somebody}', 'demo', /user "u": remove "as"/],
  ] as const) {
    test(`are rejected when ${why}`, async () => {
      const kubeconfigPath = await kubeconfig(user);
      assert.throws(() => createCredentials({ kubeconfigPath, context }), { code: 'ConfigInvalid', message });
    });
  }

  test('are read without the generated client, which would take a quarter of a second and 45 MiB', async () => {
    const program = `
      const { registerHooks } = await import('node:module');
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      await import(${JSON.stringify(import.meta.resolve('../../../src/kube/transport/credentials.ts'))});
      const ofClient = loaded.filter((url) => url.includes('/client-node/dist/'));
      console.log(JSON.stringify([ofClient.length > 0, ofClient.filter((url) => /\\/gen\\/(apis|models)\\//.test(url))]));`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', program]);
    assert.deepEqual(JSON.parse(stdout), [true, []]);
  });

  test('are rejected when the file is not there', () => {
    assert.throws(() => createCredentials({ kubeconfigPath: join(folder, 'no-such') }), { code: 'ConfigInvalid', message: /no-such/ });
  });
});
