import { join } from 'node:path';
import { stringify } from 'yaml';
import { clientSettings } from '../../cli/client-settings.ts';
import { connectionOf, ENVIRONMENT_OPTION, SERVER_OPTIONS } from '../../cli/client-command.ts';
import type { Command, Terminal } from '../../cli/command.ts';
import { type Arguments, type Option, optionText, parseArguments } from '../../cli/options.ts';
import { type Config, parseConfig } from '../../config.ts';
import { AppError } from '../../domain/core/errors.ts';
import { at, isObject, listAt, textAt, textsAt } from '../../domain/core/read.ts';
import { credentialArguments, personKubeconfig } from '../../domain/kubectl/kubeconfig.ts';
import { loginFor, openApi } from '../open-api.ts';

const OPTIONS: readonly Option[] = [
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
    options: OPTIONS.map((option) => [optionText(option), option.help] as const),
    optionWords: OPTIONS,
    settings: [],
    examples: [
      'chandlery kubeconfig > chandlery.kubeconfig',
      'chandlery kubeconfig -e team-a --server https://catalogue.example.com > team-a.kubeconfig',
      'chandlery kubeconfig --as dev-a > dev-a.kubeconfig',
    ],
    run: async (argv, terminal) => {
      const args = parseArguments({ name: 'kubeconfig', usage: '[-e ENVIRONMENT]', options: OPTIONS, words: { least: 0, most: 0 } }, argv);
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
