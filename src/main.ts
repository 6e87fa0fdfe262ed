import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command, helpOf, overviewOf, takeOutput } from './cli/command.ts';
import { parseConfig, type Config } from './config.ts';
import { AppError, isAppError } from './domain/core/errors.ts';
import { defaultStateDir } from './embedded/cluster/state-folder.ts';

// The command line. Each command loads what it needs when it runs, so that the small ones start at once.

const repoRoot = resolve(import.meta.dirname, '..');
/** For whatever called us wrongly: an option, an argument, a setting. */
const USAGE_ERROR = 2;
const OUTPUT = ['-o, --output json', 'for programs; default lines'] as const;

const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    usage: '[options]',
    summary: 'run the catalogue, on an embedded cluster or on one of yours',
    options: [],
    settings: 'all',
    examples: ['chandlery serve --port 9000', 'chandlery serve --context kind-kind'],
    run: (argv) => serve(parseConfig(argv, process.env)),
  },
  {
    name: 'token',
    usage: '--as PERSON [--state DIR] [-o json]',
    summary: 'print a bearer token of the embedded issuer, for scripts',
    options: [['-o, --output json', 'an ExecCredential, as kubectl takes it; default lines']],
    settings: ['as', 'state'],
    examples: ['TOKEN=$(chandlery token --as dev-a)'],
    run: async (argv) => {
      const { output, rest } = takeOutput('token', argv);
      const { name, stateDir } = personOf('token', rest);
      const { mintDemoToken, execCredential } = await import('./embedded/issuer/mint-demo-token.ts');
      const token = await mintDemoToken({ stateDir, name });
      return output === 'json' ? `${JSON.stringify(execCredential(token))}\n` : `${token}\n`;
    },
  },
  {
    name: 'kubeconfig',
    usage: '--as PERSON [--state DIR]',
    summary: 'print a kubeconfig of a demo person for the embedded cluster',
    options: [],
    settings: ['as', 'state'],
    examples: ['chandlery kubeconfig --as dev-a > dev-a.kubeconfig', 'kubectl --kubeconfig dev-a.kubeconfig get caches -n team-a'],
    run: async (argv) => {
      const { name, stateDir } = personOf('kubeconfig', argv);
      const { kubeconfigWithProgram } = await import('./embedded/cluster/kubeconfig.ts');
      const { requireDemoPerson } = await import('./embedded/issuer/demo-people.ts');
      const program = [process.execPath, join(repoRoot, 'bin', 'chandlery.mjs'), 'token', '--as', requireDemoPerson(name).name];
      return await kubeconfigWithProgram(stateDir, name, [...program, '--state', stateDir, '-o', 'json']);
    },
  },
  {
    name: 'chart',
    usage: 'inspect FILE|FOLDER|URL|- [-o json] [--verify-key FILE]',
    summary: 'show the metadata, CRDs and permissions of a chart',
    options: [OUTPUT, ['--verify-key FILE', 'verify the signature with this OpenPGP keyring or cosign public key']],
    settings: ['mirror', 'chart-root', 'allow-egress', 'chart-ca'],
    examples: ['chandlery chart inspect charts/cache-operator', 'chandlery chart inspect - < demo-1.0.0.tgz'],
    run: async (argv) => {
      const { chartCommand } = await import('./compose/chart-command.ts');
      return await chartCommand({ argv, env: process.env, repoRoot }, new AbortController().signal);
    },
  },
  {
    name: 'form',
    usage: '-f FILE|- [-o json]',
    summary: 'list every form field of a CRD, a values schema or a chart',
    options: [['-f, --file FILE', 'the file or folder; - reads the standard input'], OUTPUT],
    settings: [],
    examples: ['chandlery form -f crd.yaml', 'kubectl get crd NAME -o yaml | chandlery form -f -'],
    run: async (argv) => {
      const { formCommand } = await import('./compose/form-command.ts');
      return await formCommand(argv, new AbortController().signal);
    },
  },
  {
    name: 'health',
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
      const { healthCommand } = await import('./compose/health-command.ts');
      return await healthCommand(argv);
    },
  },
  {
    name: 'state',
    usage: '[--state DIR] [-o json]',
    summary: 'print the path of the state folder: kubeconfig, audit.log',
    options: [OUTPUT],
    settings: ['state'],
    examples: ['KUBECONFIG=$(chandlery state)/kubeconfig kubectl get operators -A'],
    run: (argv) => {
      const { output, rest } = takeOutput('state', argv);
      const stateDir = stateDirOf(parseConfig(rest, process.env));
      const files = { stateDir, kubeconfig: join(stateDir, 'kubeconfig'), auditLog: join(stateDir, 'audit.log') };
      return Promise.resolve(output === 'json' ? `${JSON.stringify(files, null, 2)}\n` : `${stateDir}\n`);
    },
  },
];

// Whoever reads us may have read enough: `chandlery form -f crd.yaml | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`chandlery: ${error instanceof AppError ? error.message : (error as Error).stack}\n`);
  process.exitCode = isAppError(error, 'ConfigInvalid') ? USAGE_ERROR : 1;
}
// Whatever still hangs then, a read from a drive that is away for example, does not keep the process.
setTimeout(() => process.exit(), 2_000).unref();

async function run([name = 'help', ...argv]: readonly string[]): Promise<number> {
  if (name === '--version' || name === 'version') return print(`${await version()}\n`);
  if (['help', '--help', '-h'].includes(name)) return print(helpFor(argv[0]));
  const command = commandOf(name);
  if (argv.some((word) => word === '--help' || word === '-h')) return print(helpOf(command));
  const result = await command.run(argv);
  if (typeof result === 'number') return result;
  if (typeof result === 'string') return print(result);
  print(result.text);
  return result.code;
}

function commandOf(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  throw new AppError('ConfigInvalid', `${JSON.stringify(name)} is not a command; "chandlery help" lists them`);
}

function helpFor(name: string | undefined): string {
  return name === undefined || name.startsWith('-') ? overviewOf(COMMANDS) : helpOf(commandOf(name));
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

async function version(): Promise<string> {
  const { version: number } = JSON.parse(await readFile(join(repoRoot, 'package.json'), 'utf8')) as { version: string };
  return number;
}

/** The demo person and the state folder that a command is about. */
function personOf(command: string, argv: readonly string[]): { name: string; stateDir: string } {
  const config = parseConfig(argv, process.env);
  if (config.as !== undefined) return { name: config.as, stateDir: stateDirOf(config) };
  throw new AppError('ConfigInvalid', `${command}: name a demo person, e.g. chandlery ${command} --as dev-a`);
}

function stateDirOf(config: Config): string {
  return config.stateDir ?? defaultStateDir(repoRoot, process.env);
}

/** Runs the server until a signal asks it to stop, or it cannot go on. */
async function serve(config: Config): Promise<number> {
  const { startChandlery } = await import('./compose.ts');
  const { createLog } = await import('./observe/log.ts');
  const log = createLog({ level: config.logLevel, format: config.logFormat, write: (text) => process.stderr.write(text) });
  const stop = new AbortController();
  // Not once: a second Ctrl-C while we stop would leave the cluster's processes behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  const chandlery = await startChandlery({ config, repoRoot, stateDir: stateDirOf(config), log, durability: 'kept', signal: stop.signal });
  if (!stop.signal.aborted) process.stdout.write(`\n  Chandlery is at ${chandlery.url.href}\n${chandlery.hint}\n`);
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
