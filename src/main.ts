import { resolve } from 'node:path';
import { chartCommand } from './compose/chart-command.ts';
import { formCommand } from './compose/form-command.ts';
import { parseConfig, SETTINGS, type Config } from './config.ts';
import { startChandlery } from './compose.ts';
import { AppError } from './domain/errors.ts';
import { defaultStateDir } from './embedded/cluster/state-folder.ts';
import { mintDemoToken } from './embedded/issuer/mint-demo-token.ts';
import { createLog, type Log } from './observe/log.ts';

const HELP = `Chandlery: a self-service catalogue of managed apps for Kubernetes

  chandlery serve              the catalogue, on an embedded cluster or on one of yours
  chandlery token --as PERSON  a bearer token of the embedded issuer, for scripts
  chandlery chart inspect WHAT what a chart (file, folder, URL) is, brings and asks for; -o json for programs
  chandlery form -f FILE       every field of a CRD, a values schema or a chart; -o json for programs
  chandlery state              the path of the state folder: kubeconfig, audit.log
  chandlery help               this text

Options (each is also a setting in the environment: --port 9000 is CHANDLERY_PORT=9000):
`;

const repoRoot = resolve(import.meta.dirname, '..');
const [command = 'help', ...argv] = process.argv.slice(2);

try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`chandlery: ${error instanceof AppError ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
}
// Whatever still hangs then, a read from a drive that is away for example, does not keep the process.
setTimeout(() => process.exit(), 2_000).unref();

async function run(): Promise<number> {
  if (argv.some((word) => word === '--help' || word === '-h')) return help();
  switch (command) {
    case 'serve':
      return await serve(parseConfig(argv, process.env));
    case 'token': {
      const config = parseConfig(argv, process.env);
      if (config.as === undefined) throw new AppError('ConfigInvalid', 'token: name a demo person, e.g. chandlery token --as dev-a');
      process.stdout.write(`${await mintDemoToken({ stateDir: stateDirOf(config), name: config.as })}\n`);
      return 0;
    }
    case 'chart':
      process.stdout.write(await chartCommand({ argv, env: process.env, repoRoot }, new AbortController().signal));
      return 0;
    case 'form':
      process.stdout.write(await formCommand(argv, new AbortController().signal));
      return 0;
    case 'state':
      process.stdout.write(`${stateDirOf(parseConfig(argv, process.env))}\n`);
      return 0;
    case 'help':
    case '--help':
    case '-h':
      return help();
    default:
      throw new AppError('ConfigInvalid', `${JSON.stringify(command)} is not a command; "chandlery help" lists them`);
  }
}

async function serve(config: Config): Promise<number> {
  const log = processLog(config);
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

function processLog({ logLevel, logFormat }: Config): Log {
  return createLog({ level: logLevel, format: logFormat, write: (text) => process.stderr.write(text) });
}

function stateDirOf(config: Config): string {
  return config.stateDir ?? defaultStateDir(repoRoot, process.env);
}

function help(): number {
  const lines = SETTINGS.map(({ name, value, help: text }) => `  ${`--${name} ${value}`.padEnd(30)}${text}`);
  process.stdout.write(`${HELP}\n${lines.join('\n')}\n`);
  return 0;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) done(undefined);
    signal.addEventListener('abort', () => done(undefined), { once: true });
  });
}
