import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { localTls } from './local-tls.ts';
import { pinnedProgram } from './pinned-program.ts';

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
/** Without the pages and service discoveries that no test needs. */
const PACKAGE = 'github.com/prometheus/prometheus/cmd/prometheus';

/** Starts one that scrapes `target` (host:port) every second; `port` must be free. */
export async function startPrometheus(target: string, port: number): Promise<Prometheus> {
  const program = await pinnedProgram({ name: 'prometheus', package: PACKAGE, flags: ['-tags=remove_all_sd'], duration: 'two minutes' });
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
