import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createEmbeddedIssuer } from '../../src/embedded/issuer/create-embedded-issuer.ts';
import { IssuerState } from '../../src/embedded/issuer/issuer-state.ts';
import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import { type House, openHouse } from './support/house.ts';

describe('the embedded issuer', () => {
  let house: House;
  before(async () => {
    house = await openHouse();
  });
  after(() => house.close());

  it('calls itself by the public URL, whatever host or forwarded host a request names', async () => {
    const other = house.origin.replace('127.0.0.1', 'localhost');
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const answer = await fetch(`${other}/issuer/.well-known/openid-configuration`, { headers });
    const metadata = (await answer.json()) as Record<string, string>;
    assert.equal(metadata['issuer'], `${house.origin}/issuer`);
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'end_session_endpoint']) {
      assert.ok(metadata[name]?.startsWith(`${house.origin}/issuer/`), `${name}: ${metadata[name]}`);
    }
  });

  it('answers no foreign name that was made to lead here', async () => {
    const status = await new Promise((done, fail) => {
      const url = new URL('/issuer/.well-known/openid-configuration', house.origin);
      request(url, { headers: { host: 'evil.example:8080' } }, (answer) => done(answer.resume().statusCode))
        .on('error', fail)
        .end();
    });
    assert.equal(status, 421);
  });

  it('publishes no private part of its key', async () => {
    const { keys } = (await (await fetch(`${house.origin}/issuer/jwks`)).json()) as { keys: object[] };
    assert.deepEqual(
      keys.map((key) => Object.keys(key).sort()),
      [['alg', 'e', 'kid', 'kty', 'n', 'use']],
    );
  });

  it('keeps its secrets where only their owner reads them', async () => {
    const folder = join(house.stateDir, 'issuer');
    for (const file of await readdir(folder)) assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600, file);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
  });

  it('serves no other client and sends nobody elsewhere', async () => {
    const ask = (query: Record<string, string>): Promise<Response> =>
      fetch(`${house.origin}/issuer/auth?${new URLSearchParams(query).toString()}`, {
        redirect: 'manual',
        headers: { accept: 'text/html' },
      });
    const good = { client_id: 'chandlery', response_type: 'code', scope: 'openid', redirect_uri: `${house.origin}/auth/callback` };
    assert.equal((await ask({ ...good, client_id: 'other' })).status, 400);
    const elsewhere = await ask({ ...good, redirect_uri: 'https://evil.example/' });
    assert.equal(elsewhere.status, 400);
    assert.match(await elsewhere.text(), /<h1>The demo sign-in cannot go on<\/h1>/);
    const noPkce = await ask(good);
    assert.match(noPkce.headers.get('location') ?? '', /error=invalid_request/);
  });

  it('does not let one browser finish the sign-in of another', async () => {
    const choice = await house.browser().visit('/login');
    const answer = await house.browser().submit(choice.url, { person: 'admin' });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /<h1>This sign-in is over<\/h1>/);
  });

  it('mints a token in a process of its own, without the server', async () => {
    const module = new URL('../../src/embedded/issuer/mint-demo-token.ts', import.meta.url).href;
    const script = `import { mintDemoToken } from ${JSON.stringify(module)};
      process.stdout.write(await mintDemoToken({ stateDir: ${JSON.stringify(house.stateDir)}, name: 'dev-b' }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', script]);
    const answer = await fetch(`${house.origin}/api/v1/me`, { headers: { authorization: `Bearer ${stdout}` } });
    const { actor } = (await answer.json()) as { actor: { user: string } };
    assert.equal(actor.user, 'oidc:dev-b');
    const { exp = 0, iat = 0 } = decodeJwt(stdout);
    assert.equal(exp - iat, 3600);
    assert.equal(decodeProtectedHeader(stdout).typ, 'at+jwt');
  });

  it('says who the demo people are when asked for somebody else', async () => {
    await assert.rejects(
      mintDemoToken({ stateDir: house.stateDir, name: 'root' }),
      /"root" is not a demo person; they are admin, dev-a, dev-b/,
    );
  });
});

describe('the folder of the embedded issuer', () => {
  let stateDir: string;
  before(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'chandlery-issuer-'));
  });
  after(() => rm(stateDir, { recursive: true }));
  const publicUrl = new URL('http://localhost:8080');

  it('that was never used mints nothing and says what to do', async () => {
    await assert.rejects(
      mintDemoToken({ stateDir, name: 'dev-a' }),
      /holds no embedded identity provider; start Chandlery with this state folder/,
    );
  });

  it('gives the same client secret and keys after a restart, and today’s issuer to tokens', async () => {
    const first = await createEmbeddedIssuer({ publicUrl, stateDir });
    const old = decodeProtectedHeader(await first.mintToken('dev-a'));
    const second = await createEmbeddedIssuer({ publicUrl: new URL('http://localhost:8081'), stateDir });
    const token = await second.mintToken('dev-a');
    assert.equal(second.clientSecret, first.clientSecret);
    assert.equal(decodeProtectedHeader(token).kid, old.kid);
    assert.deepEqual([decodeJwt(token).iss, decodeJwt(token).aud], ['http://localhost:8081/issuer', 'http://localhost:8081']);
  });

  it('brings sessions, grants and refresh tokens over a restart, and forgets what has ended', async () => {
    let now = 1_000_000;
    const state = new IssuerState(stateDir, () => now);
    await state.adapter('Session').upsert('s1', { uid: 'u1', accountId: 'dev-a' }, 60);
    await state.adapter('RefreshToken').upsert('r1', { grantId: 'g1' }, 60);
    await state.adapter('RefreshToken').upsert('r2', { grantId: 'g2' }, 5);
    await state.adapter('Interaction').upsert('i1', { grantId: 'g1' }, 60);
    await state.close();
    now += 10_000;
    const again = new IssuerState(stateDir, () => now);
    await again.load();
    assert.equal((await again.adapter('Session').findByUid('u1'))?.accountId, 'dev-a');
    assert.equal(await again.adapter('RefreshToken').find('r2'), undefined);
    assert.equal(await again.adapter('Interaction').find('i1'), undefined);
    await again.adapter('RefreshToken').revokeByGrantId('g1');
    assert.equal(await again.adapter('RefreshToken').find('r1'), undefined);
  });

  it('with a broken file is named, with what to do', async () => {
    const file = join(stateDir, 'issuer', 'secrets.json');
    await writeFile(file, '{"signingKey":');
    await assert.rejects(createEmbeddedIssuer({ publicUrl, stateDir }), (error: Error) => {
      assert.ok(error.message.includes(file));
      assert.match(error.message, /remove it and start again/);
      return true;
    });
  });
});
