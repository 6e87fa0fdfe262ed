import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { localTls } from './local-tls.ts';
import { repoRoot } from './cluster.ts';

/** A real Prometheus by https that asks for a password. */
export interface Prometheus {
  readonly url: string;
  /** What the Secret of an Environment or Operator holds. */
  readonly credentials: Readonly<Record<'username' | 'password' | 'ca.crt', string>>;
  stop(): Promise<void>;
}

const PASSWORD = 'correct horse';
/** Of the password, by bcrypt. */
const HASH = '$2b$04$V7BogXsJsCCIGRe.NIvcxupK0ZFv7WxrLCqXpLQynLmHvJs7lNrVO';
const PACKAGE = 'github.com/prometheus/prometheus/cmd/prometheus';

/** Starts one that scrapes `target` (host:port) every second; `port` must be free. */
export async function startPrometheus(target: string, port: number): Promise<Prometheus> {
  const program = await builtPrometheus();
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-prometheus-'));
  const authority = await writeFiles(folder, target);
  const url = `https://localhost:${port}`;
  const child = execa(
    program,
    [
      `--config.file=${join(folder, 'prometheus.json')}`,
      `--web.config.file=${join(folder, 'web.json')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--log.level=error',
    ],
    { reject: false, stdout: 'ignore', stderr: 'inherit' },
  );
  return {
    url,
    credentials: { username: 'chandlery', password: PASSWORD, 'ca.crt': authority },
    stop: async () => {
      child.kill('SIGTERM');
      await child;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** JSON is YAML. */
async function writeFiles(folder: string, target: string): Promise<string> {
  const { authority, server: pair } = localTls();
  const scrape = { job_name: 'chandlery', scrape_interval: '1s', scrape_timeout: '1s', static_configs: [{ targets: [target] }] };
  const files = {
    'tls.crt': pair.certificate,
    'tls.key': pair.key,
    'prometheus.json': JSON.stringify({ scrape_configs: [scrape] }),
    'web.json': JSON.stringify({
      tls_server_config: { cert_file: join(folder, 'tls.crt'), key_file: join(folder, 'tls.key') },
      basic_auth_users: { chandlery: HASH },
    }),
  };
  await Promise.all(Object.entries(files).map(async ([name, text]) => await writeFile(join(folder, name), text, { mode: 0o600 })));
  return authority;
}

/** Built once for all clones from what test/prometheus/go.mod pins, without the pages and service discoveries that no test needs. */
async function builtPrometheus(): Promise<string> {
  const module = join(repoRoot, 'test', 'prometheus');
  const pins = await Promise.all(['go.mod', 'go.sum'].map(async (name) => await readFile(join(module, name), 'utf8')));
  const key = createHash('sha256')
    .update([...pins, process.platform, process.arch].join('\0'))
    .digest('hex');
  const { XDG_CACHE_HOME: cache = '' } = process.env;
  const folder = join(cache.startsWith('/') ? cache : join(homedir(), '.cache'), 'chandlery', 'prometheus', key.slice(0, 16));
  const program = join(folder, 'prometheus');
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  const draft = `${program}.${process.pid}`;
  console.error('Building prometheus from source, once for all clones; about two minutes on two cores.');
  const options = { cwd: module, env: { CGO_ENABLED: '0', GOWORK: 'off' } };
  const args = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-tags=remove_all_sd', '-ldflags=-s -w'];
  await execa('go', ['build', ...args, '-o', draft, PACKAGE], options);
  await rename(draft, program);
  return program;
}
