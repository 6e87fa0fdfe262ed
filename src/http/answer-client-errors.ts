import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../domain/core/errors.ts';
import { problemOf } from './problem.ts';

/**
 * Answers what Node cannot read as a request, which therefore never comes to the app, as every other error is answered: problem+json with a code of
 * the table. The connection ends then.
 */
export function answerClientErrors(server: Server): void {
  const answering = new WeakMap<Duplex, Exchange[]>();
  server.on('request', (req, res) => {
    const exchange = { req, res };
    answering.set(req.socket, [...(answering.get(req.socket) ?? []), exchange]);
    res.once('close', () => {
      answering.set(
        req.socket,
        (answering.get(req.socket) ?? []).filter((other) => other !== exchange),
      );
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || !mayAnswer(answering.get(socket) ?? [])) socket.destroy();
    else socket.end(answerTo(error));
  });
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Half of another answer may have gone out already, or another request may be waiting for its own; one whose body has not come waits for this. */
function mayAnswer(exchanges: readonly Exchange[]): boolean {
  return exchanges.length === 0 || (exchanges.length === 1 && exchanges.every(({ req, res }) => !req.complete && !res.headersSent));
}

function answerTo({ code }: NodeJS.ErrnoException): string {
  const error = faultOf(code);
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(error, { path: '', requestId }));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Connection: close',
    'Cache-Control: no-store',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    '',
    body,
  ].join('\r\n');
}

function faultOf(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError(
      'HeadersTooLarge',
      'request: its address and headers are too long; use a shorter link, or delete the cookies of this site',
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('RequestTimeout', 'request: it was not complete in time; send it again');
  return new AppError('MalformedRequest', 'request: it is not valid HTTP (RFC 9112); correct the client, or the proxy in between');
}
