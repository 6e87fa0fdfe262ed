import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { isAppError, messageOf } from '../../domain/core/errors.ts';
import type { KeyPair } from './certificate.ts';
import { KUBELET_CLIENT } from './pki.ts';
import { serveLoopback } from './serve-loopback.ts';

/** What the api-server asks a kubelet for: the query of `GET /api/v1/namespaces/{namespace}/pods/{pod}/log` (core/v1 PodLogOptions). */
export interface ContainerLogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Lines from the end; all when undefined. */
  readonly tailLines?: number;
  /** Lines since then, in milliseconds since the epoch. */
  readonly since?: number;
  readonly limitBytes?: number;
  readonly signal: AbortSignal;
}

/** Yields text as it comes. @throws AppError `NotFound` or `InvalidInput` before the first piece. */
export type ContainerLogs = (request: ContainerLogRequest) => AsyncIterable<string>;

export interface KubeletOptions {
  readonly port: number;
  /** For the loopback, signed by the authority that the api-server is configured to trust. */
  readonly certificate: KeyPair;
  /** PEM of the authority that signed the api-server's client certificate. */
  readonly clientAuthority: string;
  readonly logs: ContainerLogs;
}

/**
 * Serves `/containerLogs` of the kubelet's API for all simulated nodes, on the loopback and to the api-server alone, so that `kubectl logs` works.
 *
 * @throws AppError `ClusterUnavailable` when the port is taken.
 */
export async function serveKubelet({ port, certificate, clientAuthority, logs }: KubeletOptions): Promise<{ close(): void }> {
  const clients = { ca: clientAuthority, requestCert: true, rejectUnauthorized: true };
  const listener = (request: IncomingMessage, response: ServerResponse): void => void answer(logs, request, response);
  return await serveLoopback({ what: 'the logs of its pods', port, certificate, ...clients }, listener);
}

async function answer(logs: ContainerLogs, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const over = new AbortController();
  response.once('close', () => over.abort());
  const asked =
    (request.socket as TLSSocket).getPeerCertificate().subject.CN === KUBELET_CLIENT ? requestOf(request, over.signal) : undefined;
  if (asked === undefined) {
    response.writeHead(404).end();
    return;
  }
  const pieces = logs(asked)[Symbol.asyncIterator]();
  try {
    const first = await pieces.next();
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.flushHeaders();
    if (first.done === true) response.end();
    else await pipeline(Readable.from(startingWith(first.value, pieces)), response);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else response.writeHead(statusOf(error), { 'Content-Type': 'text/plain; charset=utf-8' }).end(messageOf(error));
  }
}

async function* startingWith(first: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

function statusOf(error: unknown): number {
  if (isAppError(error, 'NotFound')) return 404;
  return isAppError(error, 'InvalidInput') ? 400 : 500;
}

/** `/containerLogs/{namespace}/{pod}/{container}`; undefined for any other address. */
function requestOf({ method, url = '' }: IncomingMessage, signal: AbortSignal): ContainerLogRequest | undefined {
  const { pathname, searchParams } = new URL(url, 'https://localhost');
  const [root, namespace, pod, container, ...more] = pathname.slice(1).split('/');
  if (method !== 'GET' || root !== 'containerLogs' || container === undefined || more.length > 0) return undefined;
  const flag = (name: string): boolean => searchParams.get(name) === 'true';
  const count = (name: string): number | undefined => (searchParams.has(name) ? Number(searchParams.get(name)) : undefined);
  const [tailLines, limitBytes, seconds] = [count('tailLines'), count('limitBytes'), count('sinceSeconds')];
  const since = seconds === undefined ? Date.parse(searchParams.get('sinceTime') ?? '') : Date.now() - seconds * 1000;
  return {
    namespace: namespace ?? '',
    pod: pod ?? '',
    container,
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(Number.isNaN(since) ? {} : { since }),
    signal,
  };
}
