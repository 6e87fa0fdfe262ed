import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A chart host on loopback in an attacker's hand. The product knows it by an address that a mirror stands for. */
export interface ChartHost {
  /** Where the product finds it: `https://charts.attacks.example`. */
  readonly address: string;
  /** The option that makes it so. */
  readonly mirror: string;
  /** What was asked for since the answer was set. */
  readonly asked: readonly string[];
  answerWith(listener: RequestListener): void;
  close(): Promise<void>;
}

const ADDRESS = 'https://charts.attacks.example';

export async function startChartHost(): Promise<ChartHost> {
  let answer: RequestListener = (_request, response) => void response.writeHead(404).end();
  let asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: ADDRESS,
    mirror: `${ADDRESS}/=http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get asked() {
      return asked;
    },
    answerWith: (listener) => {
      asked = [];
      answer = listener;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
