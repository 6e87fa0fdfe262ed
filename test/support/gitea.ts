import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { request, Agent } from 'undici';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { freePort } from './free-port.ts';
import { makeKey } from './git-ssh-host.ts';
import { localTls } from './local-tls.ts';
import { until } from './product.ts';

/** A real Gitea by https and ssh, with the user `chandlery`. */
export interface Gitea {
  readonly origin: string;
  readonly port: number;
  /** What the Secret of a CatalogSource holds; the password is a token, which the REST API takes as well. */
  readonly credentials: Readonly<Record<'username' | 'password' | 'ca.crt', string>>;
  /** A call of its REST API below `/api/v1` as that user; throws for other answers than 2xx. */
  api(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<unknown>;
  /** Creates a repository of the user with these files on its branch `main`; returns its address. */
  repository(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Lets a new key read a repository by ssh; returns the address, and what the Secret of a CatalogSource holds. */
  deployKey(name: string): Promise<{ readonly url: string; readonly credentials: Readonly<Record<'identity' | 'known_hosts', string>> }>;
  stop(): Promise<void>;
}

const MODULE = 'code.gitea.io/gitea';
const VERSION = 'v1.26.0';
/** Of the module, as in a go.sum; its own go.sum pins everything else. */
const SUM = 'h1:fJP9dqLbzKrKWUVnCVTfVersZdVDuyJQLEDzCAOmKKA=';
const USER = 'chandlery';
const READY_MS = 60_000;

/** Starts one on a free port. */
export async function startGitea(): Promise<Gitea> {
  const { program, root } = await builtGitea();
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-gitea-'));
  const { authority, server: pair } = localTls();
  const [port, sshPort] = [await freePort(), await freePort()];
  const origin = `https://localhost:${port}`;
  const files = { 'tls.crt': pair.certificate, 'tls.key': pair.key, 'app.ini': settings({ folder, root, port, sshPort }) };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  const env = { HOME: folder, GITEA_WORK_DIR: folder, USER };
  const gitea = async (...args: string[]): Promise<string> =>
    (await execa(program, ['--config', join(folder, 'app.ini'), ...args], { env })).stdout;
  await gitea('migrate');
  await gitea(
    'admin',
    'user',
    'create',
    '--username',
    USER,
    '--random-password',
    '--email',
    'chandlery@example.com',
    '--must-change-password=false',
  );
  const token =
    (await gitea('admin', 'user', 'generate-access-token', '--username', USER, '--scopes', 'all', '--raw')).trim().split('\n').at(-1) ?? '';
  const child = execa(program, ['--config', join(folder, 'app.ini'), 'web'], { env, reject: false, stdout: 'ignore', stderr: 'inherit' });
  const dispatcher = new Agent({ connect: { ca: authority } });
  const api: Gitea['api'] = async (method, path, body) => {
    const headers = { authorization: `token ${token}`, 'content-type': 'application/json' };
    const answer = await request(`${origin}/api/v1${path}`, {
      method,
      dispatcher,
      headers,
      ...(body === undefined ? {} : { body: stringifyJson(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  await until(
    async () =>
      await api('GET', '/version').then(
        () => true,
        () => false,
      ),
    'gitea answers',
    READY_MS,
  );
  return {
    origin,
    port,
    credentials: { username: USER, password: token, 'ca.crt': authority },
    api,
    repository: async (name, texts) => {
      await api('POST', '/user/repos', { name, default_branch: 'main', auto_init: true });
      const changes = Object.entries(texts).map(([path, text]) => ({
        operation: 'create',
        path,
        content: Buffer.from(text).toString('base64'),
      }));
      await api('POST', `/repos/${USER}/${name}/contents`, { branch: 'main', message: 'Begin', files: changes });
      return textAt(await api('GET', `/repos/${USER}/${name}`), 'clone_url') ?? '';
    },
    deployKey: async (name) => {
      const key = await makeKey(folder, `${name}-deploy`);
      await api('POST', `/repos/${USER}/${name}/keys`, { title: name, key: key.public, read_only: true });
      const { stdout } = await execa('ssh-keyscan', ['-p', String(sshPort), 'localhost']);
      const url = textAt(await api('GET', `/repos/${USER}/${name}`), 'ssh_url') ?? '';
      return { url, credentials: { identity: key.private, known_hosts: `${stdout}\n` } };
    },
    stop: async () => {
      child.kill('SIGTERM');
      await child;
      await dispatcher.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Settings {
  readonly folder: string;
  readonly root: string;
  readonly port: number;
  readonly sshPort: number;
}

function settings({ folder, root, port, sshPort }: Settings): string {
  return `
APP_NAME = Gitea
RUN_USER = ${process.env['USER'] ?? 'root'}
RUN_MODE = prod
WORK_PATH = ${folder}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
[server]
PROTOCOL = https
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
DOMAIN = localhost
ROOT_URL = https://localhost:${port}/
CERT_FILE = ${join(folder, 'tls.crt')}
KEY_FILE = ${join(folder, 'tls.key')}
STATIC_ROOT_PATH = ${root}
OFFLINE_MODE = true
START_SSH_SERVER = true
SSH_DOMAIN = localhost
SSH_LISTEN_HOST = 127.0.0.1
SSH_PORT = ${sshPort}
SSH_LISTEN_PORT = ${sshPort}
BUILTIN_SSH_SERVER_USER = git
LFS_START_SERVER = false
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
[security]
INSTALL_LOCK = true
SECRET_KEY = tests
[log]
LEVEL = Error
MODE = console
[webhook]
ALLOWED_HOST_LIST = *
SKIP_TLS_VERIFY = true
[mailer]
ENABLED = false
[cron]
ENABLED = false
[indexer]
ISSUE_INDEXER_TYPE = db
[session]
PROVIDER = memory
[actions]
ENABLED = false
`;
}

interface Built {
  readonly program: string;
  /** The folder with its templates and texts. */
  readonly root: string;
}

/** Built once for all clones. Its `replace` lines count only in the main module, so it is built in a copy of its own folder. */
export async function builtGitea(): Promise<Built> {
  const key = createHash('sha256').update([SUM, process.platform, process.arch].join('\0')).digest('hex');
  const { XDG_CACHE_HOME: cache = '' } = process.env;
  const root = join(cache.startsWith('/') ? cache : join(homedir(), '.cache'), 'chandlery', 'gitea', key.slice(0, 16));
  const program = join(root, 'gitea');
  if (existsSync(program)) return { program, root };
  console.error('Building gitea from source, once for all clones; about ten minutes on two cores.');
  const { stdout } = await execa('go', ['mod', 'download', '-json', `${MODULE}@${VERSION}`], { cwd: tmpdir(), env: { GOWORK: 'off' } });
  const { Dir: source, Sum: sum } = JSON.parse(stdout) as { Dir: string; Sum: string };
  if (sum !== SUM) throw new Error(`${MODULE}@${VERSION} has the digest ${sum}, not ${SUM}`);
  const draft = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-gitea-build-'));
  try {
    await cp(source, draft, { recursive: true });
    await execa('chmod', ['-R', 'u+w', draft]);
    const tags = ['-tags', 'sqlite sqlite_unlock_notify'];
    const args = ['build', '-mod=readonly', '-buildvcs=false', '-trimpath', ...tags, '-ldflags', '-s -w', '-o', join(draft, 'gitea'), '.'];
    await execa('nice', ['-n', '19', 'go', ...args], { cwd: draft, env: { CGO_ENABLED: '1', GOWORK: 'off' } });
    await keep(draft, root);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return { program, root };
}

/** What it reads while it runs. The program comes last: where it is, everything is. */
async function keep(draft: string, root: string): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const name of ['templates', 'options', 'public']) await cp(join(draft, name), join(root, name), { recursive: true, force: true });
  await cp(join(draft, 'gitea'), join(root, `gitea.${process.pid}`));
  await rename(join(root, `gitea.${process.pid}`), join(root, 'gitea'));
}
