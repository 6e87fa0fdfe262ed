import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { answerClientErrors } from '../../../src/http/error-handler.ts';

describe('what is no request that can be read', () => {
  let server: Server;
  before(async () => {
    server = createServer((req, res) => {
      // Half of an answer, for as long as the client stays.
      res.write('half');
      req.resume();
    });
    answerClientErrors(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const answerTo = async (sent: string): Promise<string> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.end(sent);
    return await text(socket);
  };

  const CASES: readonly (readonly [string, string, number, string])[] = [
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 400, 'MalformedRequest'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400, 'MalformedRequest'],
    ['headers of 20 KiB', `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'HeadersTooLarge'],
  ];
  for (const [what, sent, status, code] of CASES) {
    it(`is answered with a problem: ${what}`, async () => {
      const [head = '', body = ''] = (await answerTo(sent)).split('\r\n\r\n');
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
      assert.match(head, /Content-Type: application\/problem\+json/);
      const problem = JSON.parse(body) as { code: string; status: number; detail: string; requestId: string };
      assert.deepEqual([problem.code, problem.status], [code, status]);
      assert.match(problem.detail, /;/, 'says what to do next');
      assert.match(head, new RegExp(`X-Request-Id: ${problem.requestId}`));
      assert.match(head, new RegExp(`Content-Length: ${Buffer.byteLength(body)}\r\n`));
    });
  }

  it('ends the connection when half of another answer is out', async () => {
    const answer = await answerTo('GET / HTTP/1.1\r\nHost: a\r\n\r\nSSH-2.0\r\n\r\n');
    assert.doesNotMatch(answer, /problem/, 'there is no answer within another');
  });
});
