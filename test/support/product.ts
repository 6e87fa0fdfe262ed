import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChandlery } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt } from '../../src/domain/core/read.ts';
import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import { createLog } from '../../src/observe/log.ts';
import { repoRoot } from './cluster.ts';

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
  const config = parseConfig(['--port', '0', '--state', stateDir, ...options], {});
  const log = createLog({ level: 'error', format: 'lines', write: (text) => process.stderr.write(text) });
  const chandlery = await startChandlery({ config, repoRoot, stateDir, log, durability: 'throwaway' });
  const { origin } = chandlery.url;
  if (readiness === 'awaited') await until(async () => (await fetch(`${origin}/readyz`)).status === 200, 'the product is ready', READY_MS);
  const stop = async (): Promise<void> => {
    await chandlery.stop();
    await rm(stateDir, { recursive: true, force: true });
  };
  return productAt({ origin, stateDir, stop });
}

/** A product that runs. */
export function productAt({ origin, stateDir, stop }: Pick<Product, 'origin' | 'stateDir' | 'stop'>): Product {
  const token = async (name: string): Promise<string> => await mintDemoToken({ stateDir, name });
  return {
    origin,
    stateDir,
    kubeconfigPath: join(stateDir, 'kubeconfig'),
    auditLogPath: join(stateDir, 'audit.log'),
    token,
    api: async (name, path, init) => await call(`${origin}/api/v1${path}`, await token(name), init),
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

/** Polls until something holds. @throws when it does not within the bound, with what is waited for, and how it was when last seen. */
export async function until(holds: () => Promise<boolean>, what: string | (() => string), withinMs = 30_000): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    if (await holds()) return;
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${typeof what === 'string' ? what : what()}`);
    await sleep(50);
  }
}

/** Waits until an app that the search finds can be installed, and somewhere to do so. */
export async function untilOffered(product: Product, search = ''): Promise<void> {
  const items = async (path: string): Promise<number> => listAt((await product.api('dev-a', path)).body, 'items').length;
  await until(async () => (await items(`/apps?availability=Available&search=${search}`)) > 0, 'the app is available', 120_000);
  await until(async () => (await items('/environments')) > 0, 'an environment is there', 60_000);
}
