import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';

/** A tiny server that speaks as much of the api-server's protocol as a test wants. */
export interface TinyApiServer extends AsyncDisposable {
  readonly kubeconfigPath: string;
  /** What has arrived, in order. */
  readonly requests: readonly IncomingMessage[];
}

/** Starts it on a free port, with a kubeconfig that points at it with a token. */
export async function startTinyApiServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<TinyApiServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    request.on('end', () => answer(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-tiny-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  await writeFile(join(folder, 'token'), 'first-token\n');
  await writeFile(kubeconfigPath, kubeconfig(port));
  return {
    kubeconfigPath,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Answers with JSON. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string | string[]>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(stringifyJson(body));
}

function kubeconfig(port: number): string {
  return `apiVersion: v1
kind: Config
current-context: tiny
clusters: [{name: tiny, cluster: {server: "http://127.0.0.1:${port}", insecure-skip-tls-verify: true}}]
contexts: [{name: tiny, context: {cluster: tiny, user: tiny}}]
users: [{name: tiny, user: {tokenFile: token}}]
`;
}
