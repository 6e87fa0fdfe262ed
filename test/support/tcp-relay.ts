import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** A way to a server that can be cut and opened again: the server is away, and comes back. */
export interface TcpRelay {
  readonly port: number;
  /** Opens it on the same port. */
  open(): Promise<void>;
  /** Cuts all connections and listens no more. */
  cut(): Promise<void>;
}

/** Makes a relay to a port of this machine; it begins cut. */
export async function createTcpRelay(target: { readonly host: string; readonly port: number }): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
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
      inward.pipe(outward).pipe(inward);
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
  return { port, open, cut };
}
