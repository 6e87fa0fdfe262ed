import { join, resolve } from 'node:path';
import { ACCESS_TOKEN_COMMAND } from '../cli/access-token-command.ts';
import { CATALOG_COMMANDS, CHARTS_COMMAND } from '../cli/catalog-commands.ts';
import { CHANGE_COMMANDS } from '../cli/change-commands.ts';
import { clientCommand } from '../cli/client-command.ts';
import { type Command, takeOutput, type Terminal } from '../cli/command.ts';
import { completionScript } from '../cli/completion.ts';
import { ENVIRONMENTS_COMMAND, REGISTRATION_TOKEN_COMMAND } from '../cli/environment-commands.ts';
import { GENERATE_COMMAND, SOURCE_COMMAND } from '../cli/source-commands.ts';
import { INSTANCE_COMMANDS, LOGS_COMMAND } from '../cli/instance-commands.ts';
import { choiceOf } from '../cli/options.ts';
import { RESTORE_COMMAND } from '../cli/restore-deleted.ts';
import { RELEASE_COMMAND } from '../cli/release/release-command.ts';
import { RELEASE_COMMANDS } from '../cli/release-commands.ts';
import { RESOURCE_COMMANDS } from '../cli/resource-commands.ts';
import { type Config, parseConfig } from '../config.ts';
import { AppError } from '../domain/core/errors.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { execCredential, tokenEnd } from '../domain/kubectl/exec-credential.ts';
import { defaultStateDir } from '../embedded/cluster/state-folder.ts';
import { folderCommands } from './catalog-folder/folder-commands.ts';
import { identityCommand } from './identity/identity-command.ts';
import { ciCommand } from './login/ci-command.ts';
import { CREDENTIAL_COMMAND, kubeconfigCommand } from './login/kubectl-commands.ts';
import { LOGIN_COMMAND, LOGOUT_COMMAND } from './login/login-command.ts';
import { openApi } from './open-api.ts';

// Each command loads what it needs when it runs, so that the small ones start at once.

const repoRoot = resolve(import.meta.dirname, '../..');
const OUTPUT = ['-o, --output json', 'for programs; default lines'] as const;

/** The table of commands, from which help, completion and the page of the command line are made. */
export const COMMANDS: readonly Command[] = [
  ...[
    ...CATALOG_COMMANDS,
    ENVIRONMENTS_COMMAND,
    ...INSTANCE_COMMANDS,
    LOGS_COMMAND,
    ...CHANGE_COMMANDS,
    RESTORE_COMMAND,
    ...RELEASE_COMMANDS,
    ...RESOURCE_COMMANDS,
    SOURCE_COMMAND,
    CHARTS_COMMAND,
    ACCESS_TOKEN_COMMAND,
    REGISTRATION_TOKEN_COMMAND,
    GENERATE_COMMAND,
  ].map((command) => clientCommand(command, openApi)),
  RELEASE_COMMAND,
  ...folderCommands(repoRoot),
  {
    name: 'serve',
    group: 'Server',
    usage: '[options]',
    summary: 'run the catalogue, on an embedded cluster or on one of yours',
    options: [],
    settings: 'all',
    examples: ['chandlery serve --port 9000', 'chandlery serve --context kind-kind --catalog catalog'],
    run: async (argv, terminal) => await serve(parseConfig(argv, terminal.env), terminal),
  },
  {
    name: 'token',
    group: 'Server',
    usage: '--as PERSON [--state DIR] [-o json]',
    summary: 'print a bearer token of the embedded issuer, for scripts',
    options: [['-o, --output json', 'an ExecCredential, as kubectl takes it; default lines']],
    settings: ['as', 'state'],
    examples: ['TOKEN=$(chandlery token --as dev-a)'],
    run: async (argv, { env }) => {
      const { output, rest } = takeOutput('token', argv);
      const { name, stateDir } = personOf('token', rest, env);
      const { mintDemoToken } = await import('../embedded/issuer/mint-demo-token.ts');
      const token = await mintDemoToken({ stateDir, name });
      return output === 'json' ? `${stringifyJson(execCredential(token, tokenEnd(token)))}\n` : `${token}\n`;
    },
  },
  kubeconfigCommand({ repoRoot, stateDirOf }),
  {
    name: 'chart',
    group: 'Files',
    usage: 'inspect FILE|FOLDER|URL|- [-o json] [--verify-key FILE]',
    summary: 'show the metadata, CRDs and permissions of a chart',
    options: [OUTPUT, ['--verify-key FILE', 'verify the signature with this OpenPGP keyring or cosign public key']],
    settings: ['mirror', 'chart-root', 'allow-egress', 'chart-ca'],
    examples: ['chandlery chart inspect charts/cache-operator', 'chandlery chart inspect - < demo-1.0.0.tgz'],
    run: async (argv, { env, signal }) => {
      const { chartCommand } = await import('./chart-command.ts');
      return await chartCommand({ argv, env, repoRoot }, signal);
    },
  },
  {
    name: 'form',
    group: 'Files',
    usage: '-f FILE|- [-o json]',
    summary: 'list every form field of a CRD, a values schema or a chart',
    options: [['-f, --file FILE', 'the file or folder; - reads the standard input'], OUTPUT],
    settings: [],
    examples: ['chandlery form -f crd.yaml', 'kubectl get crd NAME -o yaml | chandlery form -f -'],
    run: async (argv, { signal }) => {
      const { formCommand } = await import('./form-command.ts');
      return await formCommand(argv, signal);
    },
  },
  {
    name: 'health',
    group: 'Files',
    usage: '-f FILE|- [--rules FILE] [-o json] [--exit-code]',
    summary: 'print the health of each object of a file',
    options: [
      ['-f, --file FILE', 'YAML or JSON, also a list; - reads the standard input'],
      ['--rules FILE', 'health rules to try: an Operator, or a list of rules'],
      OUTPUT,
      ['--exit-code', 'exit with 3 if an object is neither Healthy nor Suspended'],
    ],
    settings: [],
    examples: [
      'chandlery health -f certificate.yaml',
      'chandlery health -f queues.yaml --rules operators/queues.yaml -o json',
      'kubectl get certificates -A -o yaml | chandlery health -f -',
    ],
    run: async (argv) => {
      const { healthCommand } = await import('./health-command.ts');
      return await healthCommand(argv);
    },
  },
  {
    name: 'state',
    group: 'Server',
    usage: '[--state DIR] [-o json]',
    summary: 'print the path of the state folder: kubeconfig, audit.log',
    options: [OUTPUT],
    settings: ['state'],
    examples: ['KUBECONFIG=$(chandlery state)/kubeconfig kubectl get operators -A'],
    run: (argv, { env }) => {
      const { output, rest } = takeOutput('state', argv);
      const stateDir = stateDirOf(parseConfig(rest, env), env);
      const files = { stateDir, kubeconfig: join(stateDir, 'kubeconfig'), auditLog: join(stateDir, 'audit.log') };
      return Promise.resolve(output === 'json' ? `${JSON.stringify(files, null, 2)}\n` : `${stateDir}\n`);
    },
  },
  {
    name: 'keys',
    group: 'Server',
    usage: 'create|rotate [--keys-file FILE] [--state DIR]',
    summary: 'create the sealing keys of an installation, or add one; the new key seals after ten minutes',
    options: [],
    settings: ['keys-file', 'state'],
    examples: ['chandlery keys create --keys-file keys.json', 'chandlery keys rotate --keys-file keys.json'],
    run: async ([word, ...argv], { env }) => {
      const { createKeys, rotateKeys } = await import('../store/key-file.ts');
      const action = choiceOf('keys', word, ['create', 'rotate']);
      const config = parseConfig(argv, env);
      const file = config.keysFile ?? join(stateDirOf(config, env), 'keys.json');
      const keys = action === 'create' ? await createKeys(file) : await rotateKeys(file, Date.now());
      const rows = keys.map(
        ({ id, usedFrom }) => `  ${id}  seals from ${usedFrom === 0 ? 'the beginning' : new Date(usedFrom).toISOString()}`,
      );
      return [`${file}:`, ...rows, ''].join('\n');
    },
  },
  identityCommand(stateDirOf),
  LOGIN_COMMAND,
  LOGOUT_COMMAND,
  CREDENTIAL_COMMAND,
  ciCommand(repoRoot),
  {
    name: 'completion',
    group: 'Server',
    usage: 'bash|zsh|fish',
    summary: 'print the completion script of a shell',
    options: [],
    settings: [],
    examples: ['source <(chandlery completion bash)', 'chandlery completion fish | source'],
    words: ['shell'],
    run: (argv) => Promise.resolve(completionScript(argv[0])),
  },
];

/** The demo person and the state folder that a command is about. */
function personOf(command: string, argv: readonly string[], env: Terminal['env']): { name: string; stateDir: string } {
  const config = parseConfig(argv, env);
  if (config.as !== undefined) return { name: config.as, stateDir: stateDirOf(config, env) };
  throw new AppError('ConfigInvalid', `${command}: name a demo person, e.g. chandlery ${command} --as dev-a`);
}

function stateDirOf(config: Config, env: Terminal['env']): string {
  return config.stateDir ?? defaultStateDir(repoRoot, env);
}

/** Runs the server until a signal asks it to stop, or it cannot go on. */
async function serve(config: Config, { env, note, confirm }: Terminal): Promise<number> {
  const { startChandlery } = await import('../compose.ts');
  const { createLog } = await import('../observe/log.ts');
  const { confirmReset } = await import('./confirm-reset.ts');
  const dialog = { note, ...(confirm === undefined ? {} : { confirm }) };
  await confirmReset({ config, stateDir: stateDirOf(config, env), dialog });
  const log = createLog({ level: config.logLevel, format: config.logFormat, write: (text) => process.stderr.write(text) });
  const stop = new AbortController();
  // Not once: a second Ctrl-C while we stop would leave the cluster's processes behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  const chandlery = await startChandlery({
    config,
    repoRoot,
    stateDir: stateDirOf(config, env),
    log,
    print: (text) => process.stdout.write(text),
    durability: 'kept',
    dialog,
    signal: stop.signal,
  });
  // What collects the lines of the audit log finds nothing else among them.
  const announced = config.auditStdout ? process.stderr : process.stdout;
  if (!stop.signal.aborted) announced.write(`\n  Chandlery is at ${chandlery.url.href}\n${chandlery.hint}\n`);
  const failure = await Promise.race([chandlery.failed, aborted(stop.signal)]);
  log.info('Stopping');
  await chandlery.stop();
  if (failure === undefined) return 0;
  log.error('Chandlery cannot go on', { why: failure });
  return 1;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) done(undefined);
    signal.addEventListener('abort', () => done(undefined), { once: true });
  });
}
