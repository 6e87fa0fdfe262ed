import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Command, readStandardInput, type Terminal } from '../../cli/command.ts';
import { type Arguments, type Option, optionText, parseArguments, wrong } from '../../cli/options.ts';
import { messageOf } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import { secret, type Secret } from '../../domain/core/secret.ts';
import { type CliClient, cliClientOf, isSafeIssuer } from '../../domain/kubectl/cli-client.ts';
import { tokenEnd } from '../../domain/kubectl/exec-credential.ts';
import { cliTokenCache } from './cli-token-cache.ts';
import { deleteLogin, readLogin, type StoredLogin, storeLogin } from './stored-login.ts';
import { spawn } from 'node:child_process';
import type { SignIn } from '../../identity/command-line/obtain-token.ts';

export const NO_BROWSER: Option = { name: 'no-browser', help: 'sign in by a code that you enter on any machine' };

const OPTIONS: readonly Option[] = [
  NO_BROWSER,
  {
    name: 'token-file',
    value: 'FILE',
    completes: 'file',
    help: 'store the bearer token in this file instead of a sign-in; - reads the standard input',
  },
  { name: 'certificate-authority', value: 'FILE', completes: 'file', help: 'CA certificates of the server, in PEM' },
];

/** `chandlery login`. */
export const LOGIN_COMMAND: Command = {
  name: 'login',
  group: 'Sign-in and kubectl',
  usage: 'URL [options]',
  summary: 'sign in to a Chandlery server, for the other commands and kubectl',
  options: OPTIONS.map((option) => [optionText(option), option.help] as const),
  optionWords: OPTIONS,
  settings: [],
  examples: [
    'chandlery login https://catalogue.example.com',
    'chandlery login https://catalogue.example.com --no-browser',
    'chandlery token --as dev-a | chandlery login http://localhost:8080 --token-file -',
  ],
  run: async (argv, terminal) => {
    const args = parseArguments({ name: 'login', usage: 'URL', options: OPTIONS, words: { least: 1, most: 1 } }, argv);
    const { serverUrl } = await import('../remote-api.ts');
    const server = serverUrl(args.words[0] ?? '');
    const authority = args.text('certificate-authority');
    const certificateAuthority = authority === undefined ? {} : { certificateAuthority: resolve(authority) };
    const address = { server, ...certificateAuthority };
    return args.text('token-file') === undefined ? await signIn(address, args, terminal) : await keepToken(address, args, terminal);
  },
};

type Address = Pick<StoredLogin, 'server' | 'certificateAuthority'>;

/**
 * Always a sign-in of its own, never a token from the cache: that one was given for another server, and this server names the issuer itself.
 */
async function signIn(address: Address, args: Arguments, terminal: Terminal): Promise<string> {
  const client = await clientOf(address, terminal.signal);
  const { newTokens, cacheKeyOf } = await import('../../identity/command-line/obtain-token.ts');
  terminal.note(`Signing in to ${address.server} at ${client.issuer}`);
  const signInHere = await terminalSignIn(terminal, args.flag(NO_BROWSER.name) ? 'never' : 'if there is one');
  const tokens = await newTokens({ client, signIn: signInHere, clock: Date.now });
  const user = await userOf(address, tokens.bearer, terminal.signal);
  const [cache, key] = [cliTokenCache(terminal.env), cacheKeyOf({ client, user })];
  await cache.locked(key, async () => await cache.write(key, tokens));
  await storeLogin({ ...address, person: { user, client } }, terminal.env);
  return `Signed in to ${address.server} as ${user}\n`;
}

/** @throws AppError `ConfigInvalid` for a server without a client for command lines, or with another URL. */
async function clientOf({ server, certificateAuthority }: Address, signal: AbortSignal): Promise<CliClient> {
  const { readMetadata } = await import('../remote-api.ts');
  const metadata = await readMetadata({ server, signal, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) });
  const resource = textAt(metadata, 'resource');
  if (resource !== server) throw wrong('login', `${server}: the server calls itself ${JSON.stringify(resource ?? '')}: use that URL`);
  const client = cliClientOf(metadata);
  if (client === undefined) {
    const why = 'the server names no client for command lines (an admin sets --cli-client-id); give a bearer token with --token-file';
    throw wrong('login', `${server}: ${why}`);
  }
  if (!isSafeIssuer(client.issuer)) throw wrong('login', `${server}: its issuer ${JSON.stringify(client.issuer)} is not an https URL`);
  return client;
}

async function keepToken(address: Address, args: Arguments, terminal: Terminal): Promise<string> {
  const token = await readToken(args, terminal, address.server);
  const user = await userOf(address, token, terminal.signal);
  await storeLogin({ ...address, token }, terminal.env);
  return `Signed in to ${address.server} as ${user}${untilWords(token)}\n`;
}

async function userOf(address: Address, token: Secret, signal: AbortSignal): Promise<string> {
  const { openRemoteApi } = await import('../remote-api.ts');
  const api = await openRemoteApi({ ...address, token, signal });
  try {
    return textAt(await api.call('showMe'), 'user') ?? '';
  } finally {
    await api.close();
  }
}

/** Never an argument: those are visible to everybody on the machine. At a terminal it is not echoed. */
async function readToken(args: Arguments, { note, signal }: Terminal, origin: string): Promise<Secret> {
  const file = args.text('token-file') ?? '-';
  if (file !== '-') return parseToken(await readFile(file, 'utf8'));
  if (!process.stdin.isTTY) return parseToken((await readStandardInput()).toString('utf8'));
  note(`Paste a bearer token for ${origin}; it is not shown:`);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: hidden, terminal: true });
  try {
    return parseToken(await prompt.question('', { signal }));
  } finally {
    prompt.close();
  }
}

function parseToken(text: string): Secret {
  const token = text.trim();
  if (!/^[\w~+/.-]{1,16384}=*$/.test(token)) throw wrong('login', 'what was read is no bearer token');
  return secret(token);
}

/** What a JWT says of its end; others say nothing. */
function untilWords(token: Secret): string {
  const end = tokenEnd(token.reveal());
  return end === undefined ? '' : `; the token is valid until ${new Date(end).toISOString()}`;
}

/** `chandlery logout`. */
export const LOGOUT_COMMAND: Command = {
  name: 'logout',
  group: 'Sign-in and kubectl',
  usage: '',
  summary: 'end the sign-in of "chandlery login", here and at the issuer; kubectl signs in again',
  options: [],
  settings: [],
  examples: ['chandlery logout'],
  run: async (argv, { env, note }) => {
    parseArguments({ name: 'logout', usage: '', options: [], words: { least: 0, most: 0 } }, argv);
    const login = await readLogin(env);
    if (login === undefined) return 'Nobody is signed in\n';
    if (login.person !== undefined) {
      const { forgetTokens } = await import('../../identity/command-line/obtain-token.ts');
      await forgetTokens({ ...login.person, cache: cliTokenCache(env), clock: Date.now }).catch((error: unknown) =>
        note(`The tokens here are deleted, but the issuer could not revoke the refresh token: ${messageOf(error)}`),
      );
    }
    await deleteLogin(env);
    return `Signed out of ${login.server}\n`;
  },
};

/**
 * Signs the person at this terminal in: in the browser of this machine where there is one, else by a code.
 *
 * @param browser `never` for `--no-browser`.
 */
export async function terminalSignIn({ env, note, signal }: Terminal, browser: 'if there is one' | 'never'): Promise<SignIn> {
  const { createSignIn } = await import('../../identity/command-line/sign-in.ts');
  const how = browser === 'never' || !hasBrowser(env) ? 'device' : 'browser';
  return createSignIn({ how, open: openInBrowser, note, signal });
}

/** A terminal by ssh has the browser of another machine. */
function hasBrowser(env: Terminal['env']): boolean {
  if ((env['SSH_CONNECTION'] ?? '') !== '') return false;
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** The address is printed, too: where nothing opens it, the person does. */
function openInBrowser(url: URL): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url.href], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}
