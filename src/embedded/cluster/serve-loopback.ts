import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import type { KeyPair } from './certificate.ts';

export interface LoopbackServer extends Pick<ServerOptions, 'ca' | 'requestCert' | 'rejectUnauthorized'> {
  /** What is served, for messages: `the issuer of its tokens`. */
  readonly what: string;
  readonly port: number;
  readonly certificate: KeyPair;
}

/**
 * Serves https on the loopback, for the embedded api-server. The server does not keep the process.
 *
 * @throws AppError `ClusterUnavailable` when the port is taken.
 */
export async function serveLoopback(
  { what, port, certificate, ...options }: LoopbackServer,
  listener: RequestListener,
): Promise<{ close(): void }> {
  const server = createServer({ ...options, cert: certificate.certificate, key: certificate.key }, listener);
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
  } catch (cause) {
    throw new AppError('ClusterUnavailable', `embedded cluster: ${what}: ${messageOf(cause)}`, { cause });
  }
  server.unref();
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
