import { createWriteStream } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChandlery } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt } from '../../src/domain/core/read.ts';
import { claimStateFolder } from '../../src/embedded/cluster/state-folder.ts';
import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import { createLog, type Log } from '../../src/observe/log.ts';
import { repoRoot } from './cluster.ts';
import { eventually } from './eventually.ts';
import { addSignals, noteRestCall, PRODUCT_LOG } from './signals.ts';

/** The whole product on a throw-away cluster of its own. */
export interface Product {
  /** The origin, e.g. `http://localhost:40123`. */
  readonly origin: string;
  readonly stateDir: string;
  readonly kubeconfigPath: string;
  readonly auditLogPath: string;
  /** A bearer token of a demo person. */
  token(name: string): Promise<string>;
  /** A call of the REST API as a demo person. */
  api(name: string, path: string, init?: { method?: string; body?: unknown; headers?: Record<string, string> }): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const READY_MS = 60_000;

/** Starts it with options of the command line on top of those that a test needs; resolves when `/readyz` says that it can serve. */
export async function startProduct(options: readonly string[] = [], readiness: 'awaited' | 'not awaited' = 'awaited'): Promise<Product> {
  const stateDir = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-product-'));
  // The product takes no folder that already holds a log, unless the folder is marked as one of its own.
  await (await claimStateFolder(stateDir)).release();
  const config = parseConfig(['--port', '0', '--state', stateDir, ...options], {});
  const log = createTestLog(stateDir);
  const chandlery = await startChandlery({ config, repoRoot, stateDir, log, durability: 'throwaway' });
  const { origin } = chandlery.url;
  if (readiness === 'awaited') await until(async () => (await fetch(`${origin}/readyz`)).status === 200, 'the product is ready', READY_MS);
  const stop = async (): Promise<void> => {
    await chandlery.stop();
    await rm(stateDir, { recursive: true, force: true });
  };
  return productAt({ origin, stateDir, stop });
}

/** Every line into the state folder, where waits follow it; errors on the terminal, too. */
function createTestLog(stateDir: string): Log {
  const file = createWriteStream(join(stateDir, PRODUCT_LOG), { flags: 'a' });
  const write = (line: string): void => {
    file.write(line);
    if (line.includes('"level":"error"')) process.stderr.write(line);
  };
  return createLog({ level: 'debug', format: 'json', write });
}

/** A product that runs. */
export function productAt({ origin, stateDir, stop }: Pick<Product, 'origin' | 'stateDir' | 'stop'>): Product {
  const token = async (name: string): Promise<string> => await mintDemoToken({ stateDir, name });
  addSignals(stateDir);
  return {
    origin,
    stateDir,
    kubeconfigPath: join(stateDir, 'kubeconfig'),
    auditLogPath: join(stateDir, 'audit.log'),
    token,
    api: async (name, path, init) => {
      noteRestCall(stateDir, path);
      return await call(`${origin}/api/v1${path}`, await token(name), init);
    },
    stop,
  };
}

async function call(
  url: string,
  token: string,
  init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { method = 'GET', body, headers = {} } = init;
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : stringifyJson(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** Waits as `eventually` does, until something holds. */
export async function until(holds: () => Promise<boolean>, what: string | (() => string), withinMs = 30_000): Promise<void> {
  await eventually(holds, what, withinMs / 1_000);
}

/** Waits until an app that the search finds can be installed, and somewhere to do so. */
export async function untilOffered(product: Product, search = ''): Promise<void> {
  const items = async (path: string): Promise<number> => listAt((await product.api('dev-a', path)).body, 'items').length;
  await until(async () => (await items(`/apps?availability=Available&search=${search}`)) > 0, 'the app is available', 120_000);
  await until(async () => (await items('/environments')) > 0, 'an environment is there', 60_000);
}
