import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../../src/domain/core/errors.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { numberAt, textAt, listAt } from '../../src/domain/core/read.ts';
import { EVERYBODY } from '../../src/domain/kubernetes/actor.ts';
import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { CookieBrowser } from '../http/support/cookie-browser.ts';
import { CI_AUDIENCE, type CiIssuer, startCiIssuer } from '../support/ci-issuer.ts';
import { repoRoot } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { startChartHost, type ChartHost } from './chart-host.ts';
import { ATTACKED, environmentsYaml, FOREIGN, GROUPS, ISSUED, type PersonName } from './people.ts';

/** What has been measured of the product since it was asked last. */
export interface Measured {
  /** The longest that its event loop worked without serving anybody else, in milliseconds. */
  readonly workMs: number;
  /** The same by the clock: on a busy machine also what other programs took. */
  readonly wallMs: number;
  readonly rssBytes: number;
}

export interface CallOptions {
  readonly method?: string;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body where it is JSON, else undefined. */
  readonly json: unknown;
}

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The running product, on a control plane of its own, and the hands of the people who attack it. */
export interface Target {
  readonly origin: string;
  readonly stateDir: string;
  /** The catalogue folder that it watches: attackers who are admins may write into it. */
  readonly catalogDir: string;
  /** A folder of charts; `NAME-VERSION.tgz` in it is `file://attacks/NAME-VERSION.tgz` for the product. */
  readonly chartsDir: string;
  /** A chart host in an attacker's hand. */
  readonly chartHost: ChartHost;
  /** A second issuer that the product trusts, for jobs; its audience is CI_AUDIENCE. */
  readonly ci: CiIssuer;
  readonly kubeconfigPath: string;
  /** A bearer token of somebody. */
  token(person: PersonName): Promise<string>;
  /** A request to any path of the product, with the bearer token of somebody, or of nobody. */
  call(person: PersonName | 'anonymous', path: string, options?: CallOptions): Promise<Reply>;
  /** kubectl as somebody: with exactly the user and the groups that the product would impersonate. `root` is the cluster's own admin. */
  kubectl(person: PersonName | 'root', args: readonly string[], input?: string): Promise<Ran>;
  /** A browser without a session; `signIn` takes the embedded issuer's demo people: admin, dev-a, dev-b. */
  browser(): CookieBrowser;
  measure(): Promise<Measured>;
  /** The longest turn of the event loop since this was asked last, in milliseconds of work, whoever measured in between. */
  longestTurn(): Promise<number>;
  stop(): Promise<void>;
}

/** A busy machine takes minutes. */
const START_MS = 600_000;

/**
 * Starts the product with the example catalogue, and environments in which the attackers have their roles.
 *
 * @param options of the command line, besides those that it needs.
 */
export async function startTarget(options: readonly string[] = []): Promise<Target> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-attacks-'));
  const [stateDir, catalogDir, chartsDir] = [join(folder, 'state'), join(folder, 'catalog'), join(folder, 'charts')] as const;
  await cp(join(repoRoot, 'catalog'), catalogDir, { recursive: true });
  await mkdir(stateDir);
  await mkdir(chartsDir);
  await writeFile(join(catalogDir, 'attacked.yaml'), environmentsYaml());
  const tools = await loadTools(repoRoot);
  const chartHost = await startChartHost();
  const ci = await startCiIssuer();
  const authenticationFile = join(folder, 'authentication.yaml');
  await writeFile(authenticationFile, ci.configuration(CI_AUDIENCE));
  const roots = [
    '--chart-root',
    `attacks=${chartsDir}`,
    '--chart-root',
    `charts=${join(repoRoot, 'charts')}`,
    '--mirror',
    chartHost.mirror,
    '--authentication-config',
    authenticationFile,
  ];
  const program = join(import.meta.dirname, 'product-process.ts');
  // As `npm start` and the image run it.
  const flags = JSON.parse(await readFile(join(repoRoot, 'bin', 'node-flags.json'), 'utf8')) as string[];
  const variables = JSON.parse(await readFile(join(repoRoot, 'bin', 'node-env.json'), 'utf8')) as Record<string, string>;
  const child = fork(program, [stateDir, '--catalog', catalogDir, ...roots, ...options], {
    execArgv: flags,
    env: { ...variables, ...process.env },
  });
  const kubeconfigPath = join(stateDir, 'kubeconfig');
  const stop = async (): Promise<void> => {
    await end(child);
    await Promise.all([chartHost.close(), ci.close()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const started = await answerOf(child).catch((error: unknown) => ({ failure: messageOf(error) }));
  const origin = textAt(started, 'origin');
  if (origin === undefined) {
    await stop();
    throw new Error(`the product did not start: ${textAt(started, 'failure') ?? 'it ended'}`);
  }
  const token = (person: PersonName): Promise<string> => mintDemoToken({ stateDir, name: person, people: ISSUED });
  const target: Target = {
    origin,
    stateDir,
    catalogDir,
    chartsDir,
    chartHost,
    ci,
    kubeconfigPath,
    token,
    call: async (person, path, options) =>
      await send(`${origin}${path}`, person === 'anonymous' ? undefined : await token(person), options),
    kubectl: (person, args, input) =>
      kubectl([tools.kubectl ?? 'kubectl', `--kubeconfig=${kubeconfigPath}`, ...identityOf(person), ...args], input),
    browser: () => new CookieBrowser(origin),
    ...measuring(child),
    stop,
  };
  return await whenReady(target).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(START_MS)]);
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })])) as unknown[];
    return message;
  } finally {
    over.abort();
  }
}

function measuring(child: ChildProcess): Pick<Target, 'measure' | 'longestTurn'> {
  let longest = 0;
  const measureOnce = async (): Promise<Measured> => {
    const measured = await measure(child);
    longest = Math.max(longest, measured.workMs);
    return measured;
  };
  const longestTurn = async (): Promise<number> => {
    await measureOnce();
    const since = longest;
    longest = 0;
    return since;
  };
  return { measure: measureOnce, longestTurn };
}

async function measure(child: ChildProcess): Promise<Measured> {
  child.send('measure');
  const message = await answerOf(child);
  const number = (key: string): number => numberAt(message, key) ?? Number.NaN;
  return { workMs: number('workMs'), wallMs: number('wallMs'), rssBytes: number('rssBytes') };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

async function whenReady(target: Target): Promise<Target> {
  const offered = async (person: PersonName, path: string): Promise<number> =>
    listAt((await target.call(person, `/api/v1${path}`)).json, 'items').length;
  await eventually(async () => (await target.call('anonymous', '/readyz')).status === 200, 'the product is ready', 60);
  await eventually(async () => (await offered('developer', '/apps?availability=Available')) >= 8, 'the sample apps are available', 120);
  for (const [person, environment] of [
    ['developer', ATTACKED],
    ['neighbour', FOREIGN],
  ] as const) {
    await eventually(async () => (await offered(person, '/environments')) > 0, `${person} sees the environment ${environment}`, 60);
  }
  return target;
}

/** A request with the bearer token of somebody, or of nobody. */
export async function send(
  url: string,
  token: string | undefined,
  { method = 'GET', body, headers = {} }: CallOptions = {},
): Promise<Reply> {
  const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof URLSearchParams) && !(body instanceof Uint8Array);
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(isJson ? { 'Content-Type': 'application/json' } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isJson ? stringifyJson(body) : (body as string) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: /json/.test(type) && text !== '' ? JSON.parse(text) : undefined,
  };
}

function identityOf(person: PersonName | 'root'): string[] {
  if (person === 'root') return [];
  return [`--as=oidc:${person}`, ...[...GROUPS[person].map((group) => `oidc:${group}`), EVERYBODY].map((group) => `--as-group=${group}`)];
}

async function kubectl([program = '', ...args]: readonly string[], input = ''): Promise<Ran> {
  const { exitCode, stdout, stderr } = await execa(program, args, { input, reject: false, timeout: 60_000 });
  return { exitCode: exitCode ?? -1, stdout, stderr };
}
