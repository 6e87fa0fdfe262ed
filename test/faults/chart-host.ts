import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chartOf, VERSIONS, type Version } from './subject.ts';
import { elapse } from '../support/elapse.ts';

/** How a server of charts can be of no use. */
export const DEFECTS = ['dead', 'mute', 'slow', 'endless', 'truncated', 'too short', 'too long', 'loop'] as const;
export type Defect = (typeof DEFECTS)[number];
export type Part = 'index' | 'archive';

/** A repository with one chart: the second version is offered once it is published. */
export interface ChartHost {
  readonly address: string;
  publish(version: Version): void;
  /** From now on that part of it has the defect; without one it is well again. */
  spoil(part: Part, defect: Defect | undefined): Promise<void>;
  stop(): Promise<void>;
}

export async function startChartHost(name: string): Promise<ChartHost> {
  const charts = new Map<Version, Buffer>();
  for (const version of Object.values(VERSIONS)) charts.set(version, await chartOf({ namespace: '', name }, version));
  let offered: Version[] = [VERSIONS.first];
  let spoilt: { part: Part; defect: Defect } | undefined;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const part = request.url?.endsWith('index.yaml') === true ? 'index' : 'archive';
    const version = offered.find((each) => request.url?.endsWith(`${each}.tgz`) === true);
    const body = part === 'index' ? Buffer.from(indexOf(name, offered, charts)) : version === undefined ? undefined : charts.get(version);
    if (body === undefined) response.writeHead(404).end();
    else if (spoilt?.part === part) fail(spoilt.defect, { request, response, body });
    else response.writeHead(200, { 'content-length': body.length }).end(body);
  };
  let server = createServer(answer);
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const shut = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return {
    address: `http://127.0.0.1:${port}/`,
    publish: (version) => void (offered = [...offered, version]),
    spoil: async (part, defect) => {
      spoilt = defect === undefined ? undefined : { part, defect };
      if (defect === 'dead') await shut();
      if (defect === undefined && !server.listening) {
        server = createServer(answer);
        await listen(server, port);
      }
    },
    stop: shut,
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function indexOf(name: string, offered: readonly Version[], charts: ReadonlyMap<Version, Buffer>): string {
  const entries = offered.map((version) => ({
    name,
    version,
    urls: [`${name}-${version}.tgz`],
    digest: createHash('sha256')
      .update(charts.get(version) ?? '')
      .digest('hex'),
  }));
  return JSON.stringify({ apiVersion: 'v1', entries: { [name]: entries } });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
}

function fail(defect: Defect, { request, response, body }: Exchange): void {
  switch (defect) {
    case 'dead':
      request.socket.destroy();
      return;
    case 'mute':
      return;
    case 'slow':
      response.writeHead(200, { 'content-length': body.length });
      drip(response, body);
      return;
    case 'endless':
      response.writeHead(200).write(body.subarray(0, 4));
      pour(response);
      return;
    case 'truncated':
      response.writeHead(200).write(body.subarray(0, body.length / 2), () => request.socket.destroy());
      return;
    case 'too short':
      response.writeHead(200, { 'content-length': Math.floor(body.length / 2) }).end(body.subarray(0, body.length / 2));
      return;
    case 'too long':
      response.writeHead(200, { 'content-length': body.length * 2 }).write(body);
      return;
    case 'loop':
      response.writeHead(302, { location: request.url ?? '/' }).end();
      return;
    default:
      defect satisfies never;
  }
}

/** A byte a second. */
function drip(response: ServerResponse, body: Buffer, at = 0): void {
  if (response.destroyed || at >= body.length) return;
  response.write(body.subarray(at, at + 1));
  void elapse(1_000).then(() => drip(response, body, at + 1));
}

/** As fast as it is read, for ever. */
function pour(response: ServerResponse): void {
  if (response.destroyed) return;
  if (response.write(Buffer.alloc(65_536, ' '))) setImmediate(() => pour(response));
  else response.once('drain', () => pour(response));
}
