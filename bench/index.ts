// `npm run bench:index`: a repository index of 20 MB, read by Chandlery and by `helm repo add`, in the same run.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import type { IndexReport, Step } from './index-child.ts';
import { chartName, CHARTS, largeIndex, NEWEST, VERSIONS } from './large-index.ts';
import { peakMiB } from './peak-memory.ts';

const TARGETS = { peakMiB: 300, turnMs: 50 };
/** More than one program at work before we begin: then wall times hold what others took. */
const QUIET_LOAD = 1;
const REPOSITORY = 'https://charts.example.com/example';
const POLL_MS = 5;

const [loadBefore = 0] = loadavg();
const charts = new Map(await Promise.all([0, 1].map(async (number) => [chartName(number), await packChart(chartName(number))] as const)));
const index = Buffer.from(largeIndex(Object.fromEntries([...charts].map(([name, bytes]) => [name, sha256(bytes)]))));
const folder = await mkdtemp(join(tmpdir(), 'chandlery-bench-index-'));
const site = await serve();
try {
  console.log(
    `${CHARTS * VERSIONS} versions of ${CHARTS} charts, ${(index.length / 1e6).toFixed(1)} MB of YAML, over http from this machine\n`,
  );
  const ours = await measureOurs(site.address);
  const peer = await measurePeer(site.address);
  print(ours, peer);
  process.exitCode = report(ours);
} finally {
  site.server.close();
  await rm(folder, { recursive: true });
}

/** The repository. The second time it says that nothing has changed. */
async function serve() {
  const etag = `"${sha256(index)}"`;
  const server = createServer((request, response) => {
    const [, name = ''] = /^\/(.*)-[^-]*\.tgz$/.exec(request.url ?? '') ?? [];
    if (request.url !== '/index.yaml') response.end(charts.get(name));
    else if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag, 'content-length': index.length }).end(index);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function measureOurs(address: string): Promise<IndexReport> {
  const program = join(import.meta.dirname, 'index-child.ts');
  const child = spawn(process.execPath, [program, REPOSITORY, '--mirror', `${REPOSITORY}/=${address}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // As bin/run-main.mjs has it: the first run after a change compiles.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, '..', 'node_modules', '.cache', 'chandlery', 'compiled'), ...process.env },
  });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (status !== 0) throw new Error(`our process ended with ${String(status)}`);
  return JSON.parse(output) as IndexReport;
}

interface Peer {
  readonly ms: number;
  readonly peakMiB: number;
}

async function measurePeer(address: string): Promise<Peer> {
  const { helm } = await loadTools(join(import.meta.dirname, '..'));
  const env = { HELM_REPOSITORY_CONFIG: join(folder, 'repositories.yaml'), HELM_REPOSITORY_CACHE: join(folder, 'cache'), HOME: folder };
  const start = performance.now();
  const child = spawn(helm, ['repo', 'add', 'example', address], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const peak = watchPeak(child);
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`helm ended with ${String(status)}`);
  return { ms: performance.now() - start, peakMiB: peak() };
}

/** Looks at the memory of a process until it ends. */
function watchPeak(child: ChildProcess): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakMiB(child.pid ?? 0) ?? 0);
  }, POLL_MS);
  child.once('close', () => clearInterval(timer));
  return () => peak;
}

function print(ours: IndexReport, peer: Peer): void {
  const rows = [
    ['', 'ms', 'longest turn of the event loop', 'of it our work', 'peak memory so far'],
    ['our process, before', '', '', '', mib(ours.startMiB)],
    ['the index, downloaded and parsed', ...cells(ours.index)],
    ['first chart of the repository (304)', ...cells(ours.first)],
    ['second chart of the repository (304)', ...cells(ours.second)],
    ['first chart, an interval later (304)', ...cells(ours.interval)],
    ['helm repo add', ms(peer.ms), '', '', mib(peer.peakMiB)],
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0));
  for (const row of rows) console.log(row.map(pad).join('  '));
}

function cells({ ms: time, turn, peakMiB: peak }: Step): string[] {
  return [ms(time), `${ms(turn.wallMs)} ms`, `${ms(turn.workMs)} ms`, mib(peak)];
}

function report({ index: read, first, second, interval }: IndexReport): number {
  const steps = [read, first, second, interval];
  const [wall, work] = [Math.max(...steps.map(({ turn }) => turn.wallMs)), Math.max(...steps.map(({ turn }) => turn.workMs))];
  const checks: readonly (readonly [string, boolean])[] = [
    [`peak memory while it indexes: ${mib(read.peakMiB)} (below ${TARGETS.peakMiB} MiB)`, read.peakMiB < TARGETS.peakMiB],
    [
      `the event loop is blocked for ${ms(wall)} ms at most (below ${TARGETS.turnMs} ms), ${ms(work)} ms of it our work`,
      wall < TARGETS.turnMs,
    ],
  ];
  console.log('');
  for (const [sentence, holds] of checks) console.log(`${holds ? '✔' : '✖'} ${sentence}`);
  if (loadBefore > QUIET_LOAD)
    console.log(
      `The machine was loaded before it began (${loadBefore.toFixed(1)}): wall times hold what others took. Run it again when all is quiet.`,
    );
  return checks.every(([, holds]) => holds) ? 0 : 1;
}

async function packChart(name: string): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: `${name}/Chart.yaml` }, `apiVersion: v2\nname: ${name}\nversion: ${NEWEST}\n`);
  archive.entry({ name: `${name}/values.yaml` }, 'replicas: 1\n');
  archive.finalize();
  return gzipSync(await buffer(archive));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function ms(time: number): string {
  return time.toFixed(time < 100 ? 1 : 0);
}

function mib(size: number): string {
  return `${size.toFixed(0)} MiB`;
}
