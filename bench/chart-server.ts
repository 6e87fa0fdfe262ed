import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stringify } from 'yaml';
import { packChart, type ChartFiles } from '../test/support/charts.ts';

/** A chart repository on this machine, over http, that knows conditional requests as real ones do. */
export interface ChartServer {
  readonly address: string;
  /** How often something was asked for since the last time this was asked, by what was answered. */
  requests(): { readonly whole: number; readonly unchanged: number };
  close(): void;
}

/** @param charts the files of each chart by its name; all are of version 1.0.0. */
export async function startChartServer(charts: Readonly<Record<string, ChartFiles>>): Promise<ChartServer> {
  const files = new Map<string, Buffer>();
  const entries: Record<string, unknown> = {};
  for (const [name, chart] of Object.entries(charts)) {
    const packed = await packChart(name, chart);
    const digest = createHash('sha256').update(packed).digest('hex');
    files.set(`/${name}-1.0.0.tgz`, packed);
    entries[name] = [{ name, version: '1.0.0', apiVersion: 'v2', urls: [`${name}-1.0.0.tgz`], digest }];
  }
  files.set('/index.yaml', Buffer.from(stringify({ apiVersion: 'v1', entries })));
  let counts = { whole: 0, unchanged: 0 };
  const server = createServer((request, response) => {
    const body = files.get(request.url ?? '');
    if (body === undefined) return void response.writeHead(404).end();
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
    const unchanged = request.headers['if-none-match'] === etag;
    counts = unchanged ? { ...counts, unchanged: counts.unchanged + 1 } : { ...counts, whole: counts.whole + 1 };
    if (unchanged) return void response.writeHead(304, { etag }).end();
    return void response.writeHead(200, { etag, 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => {
      const since = counts;
      counts = { whole: 0, unchanged: 0 };
      return since;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
