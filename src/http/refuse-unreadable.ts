import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import { problemOf } from './problem.ts';

/**
 * Answers what Node cannot read as a request, which therefore never comes to the app, as every other error is answered: problem+json with a code of
 * the table. The connection ends then.
 */
export function refuseUnreadable(server: Server): void {
  const answering = new WeakSet<Duplex>();
  server.on('request', (req, res) => {
    answering.add(req.socket);
    res.once('close', () => answering.delete(req.socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Half of another answer may have gone out already.
    if (error.code === 'ECONNRESET' || !socket.writable || answering.has(socket)) socket.destroy();
    else socket.end(answerTo(error));
  });
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
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('RequestTimeout', 'request: it did not come to its end in time; send it again');
  return new AppError('MalformedRequest', 'request: it is not HTTP as RFC 9112 has it; correct the client, or the proxy between us');
}
