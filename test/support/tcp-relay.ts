import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { elapse } from './elapse.ts';

/** A way to a server that can be cut and opened again: the server is away, and comes back. */
export interface TcpRelay {
  readonly port: number;
  /** Opens it on the same port. */
  open(): Promise<void>;
  /** Cuts all connections and listens no more. */
  cut(): Promise<void>;
  /** From now on each piece arrives so many milliseconds later, in its order; asked for each piece. */
  delay(milliseconds: () => number): void;
}

/** Makes a relay to a port of this machine; it begins cut. */
export async function createTcpRelay(target: { readonly host: string; readonly port: number }): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  let latency = (): number => 0;
  const serve = (): Server =>
    createServer((inward) => {
      const outward = connect(target);
      for (const socket of [inward, outward]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => sockets.delete(socket));
      }
      inward.on('close', () => outward.destroy());
      outward.on('close', () => inward.destroy());
      hand(inward, outward, () => latency());
      hand(outward, inward, () => latency());
    });
  let server = serve();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const cut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await cut();
  const open = async (): Promise<void> => {
    server = serve();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const delay = (milliseconds: () => number): void => {
    latency = milliseconds;
  };
  return { port, open, cut, delay };
}

/** Hands on what comes from one socket to another, each piece when its time has come and never before an earlier one. */
function hand(from: Socket, to: Socket, latency: () => number): void {
  let last = 0;
  const at = (task: () => void): void => {
    last = Math.max(last, performance.now() + latency());
    const wait = last - performance.now();
    if (wait < 1) task();
    else void elapse(wait).then(task);
  };
  from.on('data', (piece) => at(() => void to.write(piece)));
  from.on('end', () => at(() => to.end()));
}
