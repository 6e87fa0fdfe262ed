import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What a client sends to the byte, and what comes back. */
export interface RawRequest {
  /** The request line and headers, without `Host` where `host` is given. */
  readonly head: readonly string[];
  readonly body?: string | Buffer;
}

/** Sends a request as it is written here, keeps the line open, and resolves with the status of what is answered; 0 when the line is cut. */
export async function rawStatus(origin: string, { head, body = '' }: RawRequest, withinMs = 5_000): Promise<number> {
  const socket = await open(origin);
  try {
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(body);
    return await statusOf(socket, withinMs);
  } finally {
    socket.destroy();
  }
}

/** A line to the product. */
export async function open(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** The status that comes back on a line, 0 when it is cut without one. */
export async function statusOf(socket: Socket, withinMs: number): Promise<number> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(withinMs)]);
  try {
    const [data] = (await Promise.race([once(socket, 'data', { signal }), once(socket, 'close', { signal })])) as [Buffer | boolean];
    return Buffer.isBuffer(data) ? Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1] ?? 0) : 0;
  } finally {
    over.abort();
  }
}
