import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Command, readStandardInput, type Terminal } from '../cli/command.ts';
import { type Arguments, type Option, optionText, parseArguments, wrong } from '../cli/options.ts';
import { clientSettings } from '../config.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { numberAt, textAt } from '../domain/core/read.ts';
import { type Secret, secret } from '../domain/core/secret.ts';

/** A server, and the token for it, as `chandlery login` has stored them. */
export interface StoredLogin {
  /** An origin. */
  readonly server: string;
  readonly token: Secret;
  /** An absolute path. */
  readonly certificateAuthority?: string;
}

const OPTIONS: readonly Option[] = [
  { name: 'token-file', value: 'FILE', completes: 'file', help: 'read the bearer token from this file; default: the standard input' },
  { name: 'certificate-authority', value: 'FILE', completes: 'file', help: 'CA certificates of the server, in PEM' },
  { name: 'forget', help: 'delete the stored login' },
];

/** `chandlery login`. */
export const LOGIN_COMMAND: Command = {
  name: 'login',
  group: 'Server',
  usage: 'URL [options]',
  summary: 'check a bearer token of a Chandlery server and store it for the other commands',
  options: OPTIONS.map((option) => [optionText(option), option.help] as const),
  optionWords: OPTIONS,
  settings: [],
  examples: [
    'chandlery login https://catalogue.example.com',
    'chandlery token --as dev-a | chandlery login http://localhost:8080',
    'chandlery login --forget',
  ],
  run: async (argv, terminal) => {
    const args = parseArguments({ name: 'login', usage: 'URL', options: OPTIONS, words: { least: 0, most: 1 } }, argv);
    const file = loginFile(terminal.env);
    if (args.flag('forget')) {
      await rm(file, { force: true });
      return 'The stored login is deleted\n';
    }
    return await login(args, terminal, file);
  },
};

async function login(args: Arguments, terminal: Terminal, file: string): Promise<string> {
  const [server] = args.words;
  if (server === undefined) throw wrong('login', 'name the server, e.g. chandlery login https://catalogue.example.com');
  const { openRemoteApi, serverUrl } = await import('./remote-api.ts');
  const origin = serverUrl(server);
  const token = await readToken(args, terminal, origin);
  const authority = args.text('certificate-authority');
  const certificateAuthority = authority === undefined ? {} : { certificateAuthority: resolve(authority) };
  const api = await openRemoteApi({ server: origin, token, signal: terminal.signal, ...certificateAuthority });
  try {
    const me = await api.call('showMe');
    await store(file, { server: origin, token: token.reveal(), ...certificateAuthority });
    return `Signed in to ${origin} as ${textAt(me, 'user') ?? ''}${untilWords(token)}\n`;
  } finally {
    await api.close();
  }
}

/** Never an argument: those are visible to everybody on the machine. At a terminal it is not echoed. */
async function readToken(args: Arguments, { note, signal }: Terminal, origin: string): Promise<Secret> {
  const file = args.text('token-file');
  if (file !== undefined) return parseToken(await readFile(file, 'utf8'));
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
  const [, claims = ''] = token.reveal().split('.');
  try {
    const end = numberAt(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')), 'exp');
    return end === undefined ? '' : `; the token is valid until ${new Date(end * 1000).toISOString()}`;
  } catch {
    return '';
  }
}

function loginFile(env: Terminal['env']): string {
  return join(clientSettings(env).configDir, 'login.json');
}

async function store(file: string, content: object): Promise<void> {
  const folder = join(file, '..');
  const temporary = `${file}.${randomUUID()}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(temporary, 0o600);
  await rename(temporary, file);
}

/**
 * The stored login, if there is one.
 *
 * @throws AppError `ConfigInvalid` for a file that others can read, or that holds something else.
 */
export async function readLogin(env: Terminal['env']): Promise<StoredLogin | undefined> {
  const file = loginFile(env);
  const bad = (why: string): AppError => new AppError('ConfigInvalid', `${file}: ${why}; run "chandlery login URL" again`);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0) throw bad('others can read it');
  const content = await readFile(file, 'utf8').then(JSON.parse, (error: unknown) => {
    throw bad(messageOf(error));
  });
  const [server, token, certificateAuthority] = ['server', 'token', 'certificateAuthority'].map((key) => textAt(content, key));
  if (server === undefined || token === undefined) throw bad('it holds no server and token');
  return { server, token: secret(token), ...(certificateAuthority === undefined ? {} : { certificateAuthority }) };
}
