import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { AppError } from '../../../src/domain/core/errors.ts';
import { createKube } from '../../../src/kube/kube.ts';
import { reply, startTinyApiServer } from '../../support/api-server.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' } as const;
const REF = { ...CONFIG_MAPS, namespace: 'ns', name: 'cm' };
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', namespace: 'ns' } };
const ACTOR = { user: 'oidc:dev-a', groups: ['oidc:team-a', 'oidc:on-call'] };

async function thrownBy(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => assert.fail('nothing was thrown'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  return error;
}

/** The values of a header, one for each line of it that arrived. */
function linesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

describe('identity', () => {
  test('a call for a user leaves with the user and one header for each group', async () => {
    await using server = await startTinyApiServer((_request, response) => reply(response, 200, OBJECT));
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    await kube.asActor(ACTOR).get(REF);
    const { rawHeaders = [] } = server.requests[0] ?? {};
    assert.deepEqual(linesOf(rawHeaders, 'impersonate-user'), ['oidc:dev-a']);
    assert.deepEqual(linesOf(rawHeaders, 'impersonate-group'), ['oidc:on-call', 'oidc:team-a']);
    assert.deepEqual(linesOf(rawHeaders, 'authorization'), ['Bearer first-token']);
    await kube.close();
  });

  test('a call of the controller impersonates nobody', async () => {
    await using server = await startTinyApiServer((_request, response) => reply(response, 200, OBJECT));
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    await kube.asController().get(REF);
    assert.deepEqual(
      Object.keys(server.requests[0]?.headers ?? {}).filter((name) => name.startsWith('impersonate')),
      [],
    );
    await kube.close();
  });

  test("a call with a person's own token carries nothing else of who is calling", async () => {
    await using server = await startTinyApiServer((_request, response) => reply(response, 200, OBJECT));
    const userTokens = { tokenOf: ({ user }: { readonly user: string }) => (user === ACTOR.user ? 'own-token' : undefined) };
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1', userTokens });
    await kube.asActor(ACTOR).get(REF);
    await kube.asController().get(REF);
    const [own, ours] = server.requests;
    assert.deepEqual(linesOf(own?.rawHeaders ?? [], 'authorization'), ['Bearer own-token']);
    assert.deepEqual(
      Object.keys(own?.headers ?? {}).filter((name) => name.startsWith('impersonate')),
      [],
    );
    assert.deepEqual(linesOf(ours?.rawHeaders ?? [], 'authorization'), ['Bearer first-token']);
    const stranger = kube.asActor({ user: 'oidc:ben', groups: ['oidc:team-b'] });
    assert.equal((await thrownBy(stranger.get(REF))).code, 'Unauthenticated');
    assert.equal(server.requests.length, 2, 'without a token, nothing leaves');
    await kube.close();
  });

  test("a person's token that the api-server rejects is not replaced by our own", async () => {
    await using server = await startTinyApiServer((_request, response) =>
      reply(response, 401, { kind: 'Status', message: 'Unauthorized' }),
    );
    const userTokens = { tokenOf: () => 'over' };
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1', userTokens });
    const { code, message } = await thrownBy(kube.asActor(ACTOR).get(REF));
    assert.equal(code, 'Unauthenticated');
    assert.match(message, /sign in again/);
    assert.deepEqual(
      server.requests.map(({ rawHeaders }) => linesOf(rawHeaders, 'authorization')),
      [['Bearer over']],
    );
    await kube.close();
  });

  for (const [why, actor] of [
    ['the user is empty', { user: '', groups: ['oidc:a'] }],
    ['there are no groups', { user: 'oidc:a', groups: [] }],
    ['the only group is blank', { user: 'oidc:a', groups: [' '] }],
    ['the user is one of the cluster', { user: 'system:node:a', groups: ['oidc:a'] }],
    ['a group is one of the cluster', { user: 'oidc:a', groups: ['oidc:a', 'system:masters'] }],
    ['a group would begin another header', { user: 'oidc:a', groups: ['x\r\nImpersonate-Group: system:masters'] }],
    ['the user would change on its way', { user: 'oidc:a ', groups: ['oidc:a'] }],
  ] as const) {
    test(`nothing leaves when ${why}`, async () => {
      await using server = await startTinyApiServer((_request, response) => reply(response, 200, OBJECT));
      const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
      assert.throws(() => kube.asActor(actor), { code: 'ActorMissing' });
      assert.equal(server.requests.length, 0);
      await kube.close();
    });
  }

  test('a name cannot lead to another address', async () => {
    await using server = await startTinyApiServer((_request, response) => reply(response, 200, OBJECT));
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    for (const name of ['../../secrets/s', '..', '', 'a/b', 'a%2fb', 'a\r\nb']) {
      assert.equal((await thrownBy(kube.asController().get({ ...REF, name }))).code, 'InvalidInput', name);
    }
    await kube.asController().get({ ...REF, name: 'a?b=c#d' });
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ['/api/v1/namespaces/ns/configmaps/a%3Fb%3Dc%23d'],
    );
    await kube.close();
  });

  test('a token that was replaced is read again when the old one is rejected', async () => {
    await using server = await startTinyApiServer((request, response) => {
      const accepted = request.headers.authorization === 'Bearer second-token';
      return accepted
        ? reply(response, 200, OBJECT)
        : reply(response, 401, { kind: 'Status', code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
    });
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    assert.equal((await thrownBy(kube.asController().get(REF))).code, 'ClusterUnavailable');
    await writeFile(join(dirname(server.kubeconfigPath), 'token'), 'second-token\n');
    const { object } = await kube.asController().create(CONFIG_MAPS, OBJECT);
    assert.equal(object.metadata.name, 'cm');
    await kube.close();
  });
});

describe('bounds', () => {
  test('a read is tried again when the answer says later', async () => {
    let calls = 0;
    await using server = await startTinyApiServer((_request, response) => {
      calls += 1;
      return calls === 1 ? reply(response, 429, {}, { 'retry-after': '0' }) : reply(response, 200, OBJECT);
    });
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    assert.equal((await kube.asController().get(REF)).metadata.name, 'cm');
    assert.equal(calls, 2);
    await kube.close();
  });

  test('a read is tried again when the connection is reset', async () => {
    let calls = 0;
    await using server = await startTinyApiServer((request, response) => {
      calls += 1;
      return calls === 1 ? request.socket.destroy() : reply(response, 200, OBJECT);
    });
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    assert.equal((await kube.asController().get(REF)).metadata.name, 'cm');
    await kube.close();
  });

  test('a write is not tried again', async () => {
    await using server = await startTinyApiServer((_request, response) => reply(response, 503, {}, { 'retry-after': '0' }));
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    const error = await thrownBy(kube.asController().create(CONFIG_MAPS, OBJECT));
    assert.deepEqual([error.code, error.retryAfter, server.requests.length], ['ClusterUnavailable', 0, 1]);
    await kube.close();
  });

  test('a read gives up after a few tries', async () => {
    await using server = await startTinyApiServer((_request, response) => reply(response, 503, {}, { 'retry-after': '0' }));
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    assert.equal((await thrownBy(kube.asController().get(REF))).code, 'ClusterUnavailable');
    assert.equal(server.requests.length, 4);
    await kube.close();
  });

  test('an answer that says to wait for long is left to the caller', async () => {
    await using server = await startTinyApiServer((_request, response) => reply(response, 429, {}, { 'retry-after': '3600' }));
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    const error = await thrownBy(kube.asController().get(REF));
    assert.deepEqual([error.code, error.retryAfter, server.requests.length], ['TooManyRequests', 3600, 1]);
    await kube.close();
  });

  test('a call is given up when its signal aborts, with the reason of the signal', async () => {
    await using server = await startTinyApiServer(() => undefined);
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    const reason = new Error('nobody waits any more');
    const ending = new AbortController();
    const call = kube.asController().get(REF, { signal: ending.signal });
    ending.abort(reason);
    await assert.rejects(call, reason);
    await kube.close();
  });

  test('a server that is no api-server is named as such', async () => {
    await using server = await startTinyApiServer((_request, response) => response.end('<html>welcome</html>'));
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    assert.match((await thrownBy(kube.asController().get(REF))).message, /is this a Kubernetes api-server\?/);
    await kube.close();
  });
});

describe('watches', () => {
  const watch = async (lines: readonly string[]) => {
    await using server = await startTinyApiServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const line of lines) response.write(line);
    });
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    const seen: string[] = [];
    const ending = new AbortController();
    try {
      for await (const event of kube.asController().watch(CONFIG_MAPS, { resourceVersion: '1', signal: ending.signal })) {
        seen.push(`${event.type} ${event.object.metadata.name}`);
        if (seen.length === 2) ending.abort();
      }
      return seen;
    } finally {
      await kube.close();
    }
  };
  const event = (type: string, name: string): string => JSON.stringify({ type, object: { ...OBJECT, metadata: { name } } });

  test('events are read however the lines are cut into pieces', async () => {
    const text = `${event('ADDED', 'eins')}\n${event('MODIFIED', 'zwölf')}\n`;
    assert.deepEqual(await watch([text]), ['ADDED eins', 'MODIFIED zwölf']);
    assert.deepEqual(await watch([text.slice(0, 20), text.slice(20, 90), text.slice(90)]), ['ADDED eins', 'MODIFIED zwölf']);
  });

  test('a version that is too old asks for a new list', async () => {
    const gone = JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, message: 'too old resource version' } });
    const error = await thrownBy(watch([`${gone}\n`]));
    assert.equal(error.code, 'Conflict');
    assert.match(error.message, /410/);
  });

  test('a line that is no JSON breaks the watch', async () => {
    assert.equal((await thrownBy(watch(['{"type":\n']))).code, 'ClusterUnavailable');
  });
});

test('somebody who reads does not wait a minute for a cluster that hangs', { timeout: 20_000 }, async () => {
  await using server = await startTinyApiServer(() => undefined);
  const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1', readerPatience: 50 });
  const error = await thrownBy(kube.asActor(ACTOR).get(REF));
  assert.equal(error.code, 'ClusterUnavailable');
  assert.match(error.message, /took too long/);
  await kube.close();
});
