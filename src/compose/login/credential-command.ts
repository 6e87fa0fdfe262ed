import { readFile } from 'node:fs/promises';
import type { Command } from '../../cli/command.ts';
import { type Arguments, type Option, optionText, parseArguments, wrong } from '../../cli/options.ts';
import { CLI_TOKENS, type CliClient } from '../../domain/kubectl/cli-client.ts';
import { execCredential } from '../../domain/kubectl/exec-credential.ts';
import type { ExpectedClaim } from '../../domain/kubectl/kubeconfig.ts';
import { cliTokenCache } from './cli-token-cache.ts';
import { NO_BROWSER, terminalSignIn } from './terminal-sign-in.ts';

const OPTIONS: readonly Option[] = [
  { name: 'issuer', value: 'URL', help: 'the OpenID Connect issuer' },
  { name: 'client-id', value: 'ID', help: 'its public client for command lines; default chandlery-cli' },
  { name: 'token', value: 'KIND', choices: CLI_TOKENS, help: 'the token that the api-server takes: id or access; default id' },
  { name: 'scope', value: 'SCOPE', many: 'many', help: 'a scope besides openid, profile and email; repeatable' },
  { name: 'certificate-authority', value: 'FILE', completes: 'file', help: 'CA certificates of the issuer, in PEM' },
  { name: 'certificate-authority-data', value: 'BASE64', help: 'the same, in base64' },
  { name: 'user', value: 'NAME', help: 'the person whose tokens these are; several people have their own' },
  { name: 'claim', value: 'NAME=VALUE', help: 'reject a sign-in of somebody else: without this claim' },
  { name: 'force', help: 'sign in although there is a token' },
  NO_BROWSER,
];

/** `chandlery credential`: the exec plugin of kubectl. */
export const CREDENTIAL_COMMAND: Command = {
  name: 'credential',
  group: 'Sign-in and kubectl',
  usage: '--issuer URL [options]',
  summary: 'print an ExecCredential for kubectl, after a sign-in where it takes one',
  options: OPTIONS.map((option) => [optionText(option), option.help] as const),
  optionWords: OPTIONS,
  settings: [],
  examples: [
    'chandlery credential --issuer https://login.example.com',
    'chandlery credential --issuer https://login.example.com --no-browser --force',
  ],
  run: async (argv, terminal) => {
    const args = parseArguments({ name: 'credential', usage: '--issuer URL', options: OPTIONS, words: { least: 0, most: 0 } }, argv);
    const client = await clientOf(args);
    const expected = expectedOf(args.text('claim'));
    const { obtainToken } = await import('../../identity/command-line/obtain-token.ts');
    const { bearer, expiresAt } = await obtainToken({
      client,
      user: args.text('user') ?? '',
      cache: cliTokenCache(terminal.env),
      mode: args.flag('force') ? 'force' : 'cached',
      signIn: await terminalSignIn(terminal, args.flag(NO_BROWSER.name) ? 'never' : 'if there is one'),
      clock: Date.now,
      ...(expected === undefined ? {} : { expected }),
    });
    return `${JSON.stringify(execCredential(bearer.reveal(), expiresAt))}\n`;
  },
};

async function clientOf(args: Arguments): Promise<CliClient> {
  const issuer = issuerOf(args.text('issuer'));
  const [file, data] = [args.text('certificate-authority'), args.text('certificate-authority-data')];
  const certificateAuthority = file === undefined ? data && Buffer.from(data, 'base64').toString('utf8') : await readFile(file, 'utf8');
  return {
    issuer,
    clientId: args.text('client-id') ?? 'chandlery-cli',
    token: CLI_TOKENS.find((one) => one === args.text('token')) ?? 'id',
    scopes: args.texts('scope'),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  };
}

/** To the letter: tokens name it so. */
function issuerOf(text: string | undefined): string {
  if (text === undefined) throw wrong('credential', 'name the issuer, e.g. --issuer https://login.example.com');
  if (!isSafeIssuer(text))
    throw wrong('credential', `--issuer: ${JSON.stringify(text)}: write an https URL; http is for this machine alone`);
  return text;
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an issuer is asked by https, or is on this machine. */
export function isSafeIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && LOCAL_HOSTS.includes(hostname)));
}

function expectedOf(text: string | undefined): ExpectedClaim | undefined {
  if (text === undefined) return undefined;
  const [, claim = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (claim === '') throw wrong('credential', `--claim: ${JSON.stringify(text)} is not NAME=VALUE`);
  return { claim, value };
}
