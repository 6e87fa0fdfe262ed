import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { cliTokenCache } from '../../src/compose/login/cli-token-cache.ts';
import { AppError } from '../../src/domain/core/errors.ts';
import { forgetTokens, obtainToken, type TokenRequest } from '../../src/identity/command-line/obtain-token.ts';
import { createSignIn, type SignInOptions } from '../../src/identity/command-line/sign-in.ts';
import type { CliClient } from '../../src/domain/kubectl/cli-client.ts';
import { tokenClaims } from '../../src/domain/kubectl/exec-credential.ts';
import { type House, openHouse } from './support/house.ts';

const NEVER = (): never => {
  throw new AppError('Unauthenticated', 'nobody has to sign in');
};

describe('the sign-in of the command line', () => {
  let house: House;
  let home: string;
  before(async () => {
    house = await openHouse();
    home = await mkdtemp(join(tmpdir(), 'chandlery-home-'));
  });
  after(async () => {
    await house.close();
    await rm(home, { recursive: true });
  });

  const client = (): CliClient => ({
    issuer: house.issuer.issuerUrl.href,
    clientId: 'chandlery-cli',
    token: 'access',
    scopes: ['groups'],
  });
  const cache = () => cliTokenCache({ HOME: home });
  const request = (user: string, signIn: TokenRequest['signIn'], more: Partial<TokenRequest> = {}): TokenRequest => ({
    client: client(),
    user,
    cache: cache(),
    mode: 'cached',
    signIn,
    clock: Date.now,
    ...more,
  });
  /** Somebody at the pages of the issuer, as soon as the terminal says where they are. */
  const as = (person: string, how: SignInOptions['how'] = 'browser'): TokenRequest['signIn'] => {
    const browser = house.browser();
    return createSignIn({
      how,
      signal: AbortSignal.timeout(60_000),
      open: (url) => void browser.visit(url).then(async (choice) => await browser.submit(choice.url, { person })),
      note: (line) => {
        const [, page, code] = /open (\S+) and enter the code (\S+)/.exec(line) ?? [];
        if (page !== undefined && code !== undefined) void enterCode(page, code, person);
      },
    });
  };
  const enterCode = async (page: string, code: string, person: string): Promise<void> => {
    const browser = house.browser();
    const xsrfOf = (text: string): string => /name="xsrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const form = await browser.visit(`${page}?user_code=${code}`);
    assert.match(form.text, new RegExp(`value="${code}"`));
    const shown = await browser.submit(page, { xsrf: xsrfOf(form.text), user_code: code.toLowerCase() });
    assert.match(shown.text, new RegExp(`<code>${code}</code>`));
    const choice = await browser.submit(page, { xsrf: xsrfOf(shown.text), user_code: code, confirm: 'yes' });
    assert.match((await browser.submit(choice.url, { person })).text, /The command line is signed in/);
  };
  const userOf = async (token: string): Promise<unknown> => {
    const answer = await fetch(`${house.origin}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    return ((await answer.json()) as { actor?: { user: string } }).actor?.user;
  };
  const tokenCalls = (): number => house.issuerCalls.filter((path) => path === '/token').length;

  for (const how of ['device', 'browser'] as const) {
    it(`by ${how} gives a token that the API takes, and keeps it where only its owner reads it`, async () => {
      const { bearer } = await obtainToken(request(`${how} dev-a`, as('dev-a', how)));
      assert.equal(await userOf(bearer.reveal()), 'oidc:dev-a');
      const again = await obtainToken(request(`${how} dev-a`, NEVER));
      assert.equal(again.bearer.reveal(), bearer.reveal());
      const folder = join(home, '.cache', 'chandlery', 'tokens');
      assert.equal((await stat(folder)).mode & 0o777, 0o700);
      const files = (await readdir(folder)).filter((file) => file.endsWith('.json'));
      assert.notEqual(files.length, 0);
      for (const file of files) assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600, file);
    });
  }

  it('asks everybody who they are, although somebody is signed in at the issuer already', async () => {
    const browser = house.browser();
    await browser.signIn('dev-b');
    const pages: string[] = [];
    const signIn = createSignIn({
      how: 'browser',
      signal: AbortSignal.timeout(60_000),
      note: () => undefined,
      open: (url) =>
        void browser.visit(url).then(async (choice) => {
          pages.push(choice.text);
          await browser.submit(choice.url, { person: 'dev-b' });
        }),
    });
    await obtainToken(request('asked', signIn));
    assert.match(pages[0] ?? '', /<h1>Sign in the command line as<\/h1>/);
  });

  it('is renewed once by ten processes at the same time, and with `force` begins anew', async () => {
    const first = await obtainToken(request('many', as('dev-b')));
    await cache().write({ issuer: client().issuer, clientId: 'chandlery-cli', user: 'many' }, { ...first, expiresAt: 0 });
    const before = tokenCalls();
    const all = await Promise.all(Array.from({ length: 10 }, async () => await obtainToken(request('many', NEVER))));
    assert.equal(new Set(all.map(({ bearer }) => bearer.reveal())).size, 1);
    assert.equal(tokenCalls() - before, 1);
    await assert.rejects(obtainToken(request('many', NEVER, { mode: 'force' })), /nobody has to sign in/);
    const forced = await obtainToken(request('many', as('admin'), { mode: 'force' }));
    assert.equal(tokenClaims(forced.bearer.reveal())['sub'], 'admin');
  });

  it('of somebody else is rejected and not kept', async () => {
    const expected = { claim: 'preferred_username', value: 'dev-a' };
    await assert.rejects(
      obtainToken(request('mine', as('dev-b'), { expected })),
      /"dev-b" signed in, but this kubeconfig is of "dev-a" \(claim "preferred_username"\)/,
    );
    assert.equal(await cache().read({ issuer: client().issuer, clientId: 'chandlery-cli', user: 'mine' }), undefined);
  });

  it('ends with the refresh token at the issuer', async () => {
    const kept = await obtainToken(request('leaving', as('dev-a')));
    await forgetTokens(request('leaving', NEVER));
    await cache().write({ issuer: client().issuer, clientId: 'chandlery-cli', user: 'leaving' }, { ...kept, expiresAt: 0 });
    await assert.rejects(obtainToken(request('leaving', NEVER)), /nobody has to sign in/);
  });

  it('names no token in its errors, and takes no file that others can read', async () => {
    const { bearer, refreshToken } = await obtainToken(request('quiet', as('dev-a')));
    house.setIssuerAway('away');
    const error = await obtainToken(request('quiet', NEVER, { clock: () => Date.now() + 3_590_000 })).catch((caught: Error) => caught);
    house.setIssuerAway('back');
    assert.ok(error instanceof Error);
    assert.match(error.message, /does not answer/);
    for (const token of [bearer, refreshToken]) assert.ok(!JSON.stringify([error.message, error.stack]).includes(token?.reveal() ?? '?'));
    const folder = join(home, '.cache', 'chandlery', 'tokens');
    const mine = (await readdir(folder)).filter((file) => file.endsWith('.json'));
    for (const file of mine) await chmod(join(folder, file), 0o644);
    await assert.rejects(obtainToken(request('quiet', NEVER)), /others can read it; delete it and sign in again/);
    for (const file of mine) await chmod(join(folder, file), 0o600);
    assert.ok(!(await readFile(join(folder, mine[0] ?? ''), 'utf8')).includes('id_token'));
  });

  it('ignores whoever calls the port of the loopback without its state', async () => {
    const strangers: number[] = [];
    const browser = house.browser();
    const signIn = createSignIn({
      how: 'browser',
      signal: AbortSignal.timeout(60_000),
      note: () => undefined,
      open: (url) => {
        const port = new URL(url.searchParams.get('redirect_uri') ?? '');
        const stray = async (): Promise<void> => {
          for (const query of ['code=x&state=wrong', 'error=access_denied', '']) {
            strangers.push((await fetch(`${port.href}?${query}`)).status);
          }
          const choice = await browser.visit(url);
          await browser.submit(choice.url, { person: 'dev-a' });
        };
        void stray();
      },
    });
    assert.equal(tokenClaims((await obtainToken(request('stray', signIn))).bearer.reveal())['sub'], 'dev-a');
    assert.deepEqual(strangers, [404, 404, 404]);
  });
});
