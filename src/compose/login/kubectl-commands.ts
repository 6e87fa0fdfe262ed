import { join } from 'node:path';
import { stringify } from 'yaml';
import { clientSettings } from '../../cli/client-settings.ts';
import { connectionOf, ENVIRONMENT_OPTION, SERVER_OPTIONS } from '../../cli/client-command.ts';
import type { Command, Terminal } from '../../cli/command.ts';
import { type Arguments, type Option, optionText, parseArguments, wrong } from '../../cli/options.ts';
import { type Config, parseConfig } from '../../config.ts';
import { AppError } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { at, isObject, listAt, textAt, textsAt } from '../../domain/core/read.ts';
import { credentialArguments, type ExpectedClaim, personKubeconfig } from '../../domain/kubectl/kubeconfig.ts';
import { loginFor, openApi } from '../open-api.ts';
import { readFile } from 'node:fs/promises';
import { CLI_TOKENS, type CliClient, isSafeIssuer } from '../../domain/kubectl/cli-client.ts';
import { execCredential } from '../../domain/kubectl/exec-credential.ts';
import { cliTokenCache } from './cli-token-cache.ts';
import { NO_BROWSER, terminalSignIn } from './login-command.ts';

const KUBECONFIG_OPTIONS: readonly Option[] = [
  { ...ENVIRONMENT_OPTION, help: 'its namespace becomes the default one' },
  ...SERVER_OPTIONS,
  { name: 'as', value: 'PERSON', help: 'a demo person of the embedded issuer, without a sign-in' },
  {
    name: 'state',
    value: 'DIR',
    completes: 'file',
    help: 'the state folder of the embedded cluster, where no server is named; default in the XDG state folder',
  },
];

export interface KubeconfigDeps {
  readonly repoRoot: string;
  readonly stateDirOf: (config: Config, env: Terminal['env']) => string;
}

/** `chandlery kubeconfig`. */
export function kubeconfigCommand(deps: KubeconfigDeps): Command {
  return {
    name: 'kubeconfig',
    group: 'Sign-in and kubectl',
    usage: '[-e ENVIRONMENT] [options]',
    summary: 'print a kubeconfig without secrets, by which kubectl acts as you',
    options: KUBECONFIG_OPTIONS.map((option) => [optionText(option), option.help] as const),
    optionWords: KUBECONFIG_OPTIONS,
    settings: [],
    examples: [
      'chandlery kubeconfig > chandlery.kubeconfig',
      'chandlery kubeconfig -e team-a --server https://catalogue.example.com > team-a.kubeconfig',
      'chandlery kubeconfig --as dev-a > dev-a.kubeconfig',
    ],
    run: async (argv, terminal) => {
      const args = parseArguments(
        { name: 'kubeconfig', usage: '[-e ENVIRONMENT]', options: KUBECONFIG_OPTIONS, words: { least: 0, most: 0 } },
        argv,
      );
      const ownProgram = [process.execPath, join(deps.repoRoot, 'bin', 'chandlery.mjs')];
      if (args.text('as') !== undefined) return await ofDemoPerson(args, terminal, { ...deps, ownProgram });
      const connection = connectionOf(args);
      const login = await loginFor(connection, clientSettings(terminal.env), terminal.env);
      if (login === undefined) return await ofStateFolder(args, terminal, { ...deps, ownProgram });
      const api = await openApi({ ...connection, server: login.server }, terminal);
      try {
        const environment = args.text('environment');
        const kubeconfig = await api.call('showKubeconfig', environment === undefined ? {} : { query: { environment } });
        return yaml(withProgram(kubeconfig, ownProgram));
      } finally {
        await api.close();
      }
    },
  };
}

function yaml(kubeconfig: object): string {
  return stringify(kubeconfig, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The server cannot know how this machine calls the command line. */
function withProgram(kubeconfig: unknown, program: readonly string[]): object {
  const [command = '', ...before] = program;
  const users = listAt(kubeconfig, 'users').map((one) => {
    const [exec, args] = [at(one, 'user', 'exec'), textsAt(one, 'user', 'exec', 'args')];
    const own = args.slice(args.indexOf('credential'));
    return { name: textAt(one, 'name') ?? '', user: { exec: { ...(isObject(exec) ? exec : {}), command, args: [...before, ...own] } } };
  });
  return { ...(isObject(kubeconfig) ? kubeconfig : {}), users };
}

type Own = KubeconfigDeps & { readonly ownProgram: readonly string[] };

/** On the embedded cluster of a state folder, with tokens that need no sign-in. */
async function ofDemoPerson(args: Arguments, terminal: Terminal, { ownProgram, ...deps }: Own): Promise<string> {
  const stateDir = stateFolder(args, terminal, deps);
  const { kubeconfigWithProgram } = await import('../../embedded/cluster/kubeconfig.ts');
  const { requireDemoPerson } = await import('../../embedded/issuer/demo-people.ts');
  const { name } = requireDemoPerson(args.text('as') ?? '');
  return await kubeconfigWithProgram(stateDir, name, [...ownProgram, 'token', '--as', name, '--state', stateDir, '-o', 'json']);
}

/** By the option, else by the settings, as for the server. */
function stateFolder(args: Arguments, { env }: Terminal, { stateDirOf }: KubeconfigDeps): string {
  const state = args.text('state');
  return stateDirOf(parseConfig(state === undefined ? [] : ['--state', state], env), env);
}

/** On the embedded cluster of a state folder; whoever signs in is the person. */
async function ofStateFolder(args: Arguments, terminal: Terminal, { ownProgram, ...deps }: Own): Promise<string> {
  const stateDir = stateFolder(args, terminal, deps);
  if (args.text('environment') !== undefined)
    throw new AppError('ConfigInvalid', 'kubeconfig: --environment: only a server knows its namespace: run "chandlery login URL" first');
  const { readClusterAddress } = await import('../../embedded/cluster/kubeconfig.ts');
  const { readNames } = await import('../../embedded/issuer/issuer-secrets.ts');
  const { CLI_CLIENT_ID } = await import('../../embedded/issuer/cli-client.ts');
  const [cluster, names] = await Promise.all([readClusterAddress(stateDir), readNames(stateDir)]);
  if (names === undefined)
    throw new AppError(
      'ConfigInvalid',
      `kubeconfig: ${stateDir} holds no embedded issuer; run "chandlery login URL", or name the server with --server`,
    );
  const client = { issuer: names.issuer, clientId: CLI_CLIENT_ID, token: 'access', scopes: ['groups'] } as const;
  const program = [...ownProgram, ...credentialArguments(client, undefined)];
  return yaml(personKubeconfig({ cluster, host: new URL(names.audience).host, program }));
}

const CREDENTIAL_OPTIONS: readonly Option[] = [
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
  options: CREDENTIAL_OPTIONS.map((option) => [optionText(option), option.help] as const),
  optionWords: CREDENTIAL_OPTIONS,
  settings: [],
  examples: [
    'chandlery credential --issuer https://login.example.com',
    'chandlery credential --issuer https://login.example.com --no-browser --force',
  ],
  run: async (argv, terminal) => {
    const args = parseArguments(
      { name: 'credential', usage: '--issuer URL', options: CREDENTIAL_OPTIONS, words: { least: 0, most: 0 } },
      argv,
    );
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
    return `${stringifyJson(execCredential(bearer.reveal(), expiresAt))}\n`;
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

function expectedOf(text: string | undefined): ExpectedClaim | undefined {
  if (text === undefined) return undefined;
  const [, claim = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (claim === '') throw wrong('credential', `--claim: ${JSON.stringify(text)} is not NAME=VALUE`);
  return { claim, value };
}
