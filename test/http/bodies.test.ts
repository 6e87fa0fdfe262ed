import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createFormDecoder } from '../../src/http/body/decode-form.ts';
import { type House, openHouse } from './support/house.ts';

const MIB = 1024 * 1024;

describe('the body of a request', () => {
  let house: House;
  let authorization: string;
  before(async () => {
    house = await openHouse();
    authorization = `Authorization: Bearer ${await house.issuer.mintToken('dev-a')}`;
  });
  after(() => house.close());

  /** Sends the head and what is given of a body, and leaves the line open: the answer comes before the rest, or never. */
  const begin = async (path: string, headers: readonly string[], body: string | Buffer = ''): Promise<Socket> => {
    const { port } = new URL(house.origin);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(['POST ' + path + ' HTTP/1.1', `Host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n'));
    socket.write(body);
    return socket;
  };
  const answerTo = async (path: string, headers: readonly string[], body?: string | Buffer): Promise<string> => {
    const socket = await begin(path, headers, body);
    const [text] = (await once(socket.setEncoding('utf8'), 'data', { signal: AbortSignal.timeout(2_000) })) as [string];
    socket.destroy();
    return text;
  };

  const JSON_HEADERS = ['Content-Type: application/json', `Content-Length: ${MIB}`];
  const UNREAD: readonly [string, string, () => readonly string[], RegExp][] = [
    ['by nobody', '/api/v1/echo', () => JSON_HEADERS, / 401 [^]*Unauthenticated/],
    ['by nobody in pieces', '/api/v1/echo', () => ['Content-Type: application/json', 'Transfer-Encoding: chunked'], / 401 /],
    ['by nobody to a page', '/apps', () => ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${MIB}`], / 401 /],
    ['by a stranger with a token of their own', '/api/v1/echo', () => [...JSON_HEADERS, 'Authorization: Bearer x.y.z'], / 401 /],
    ['to an address that does not exist', '/api/v1/nowhere', () => [...JSON_HEADERS, authorization], / 404 /],
    [
      'larger than is read',
      '/api/v1/echo',
      () => ['Content-Type: application/json', `Content-Length: ${MIB + 1}`, authorization],
      / 413 [^]*larger than 1 MiB/,
    ],
    ['compressed', '/api/v1/echo', () => [...JSON_HEADERS, 'Content-Encoding: gzip', authorization], / 415 [^]*Accept-Encoding: identity/],
    [
      'of the back-channel logout, larger than a token',
      '/auth/backchannel-logout',
      () => ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${MIB}`],
      / 413 [^]*64 KiB/,
    ],
    [
      'for a token of the embedded issuer, larger than a token',
      '/issuer/token',
      () => ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${MIB}`],
      / 4\d\d /,
    ],
  ];
  for (const [what, path, headers, expected] of UNREAD)
    it(`is answered before it has come: ${what}`, async () => {
      assert.match(await answerTo(path, headers()), expected);
    });

  it('is rejected as soon as it is too large, when its length was not announced', async () => {
    const piece = Buffer.alloc(MIB + 1, ' ');
    const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked', authorization];
    assert.match(await answerTo('/api/v1/echo', headers, chunk), / 413 /);
  });

  it('is not inflated as a form with a file, either', async () => {
    const body = gzipSync('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n');
    const headers = ['Content-Type: multipart/form-data; boundary=x', `Content-Length: ${body.length}`, 'Content-Encoding: gzip'];
    assert.match(await answerTo('/apps', [...headers, authorization], body), / 415 /);
  });

  it('that waits for nobody else: bodies of one person are worked on one after the other, and too many at once are rejected', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(900_000) });
    const headers = { authorization: authorization.slice('Authorization: '.length), 'content-type': 'application/json' };
    const send = async (): Promise<Response> => await fetch(`${house.origin}/api/v1/echo`, { method: 'POST', headers, body });
    const answers = await Promise.all(Array.from({ length: 40 }, send));
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 200 || status === 409),
      statuses.join(),
    );
    assert.ok(statuses.filter((status) => status === 200).length >= 10, statuses.join());
    const rejected = answers.find(({ status }) => status === 409);
    assert.ok(rejected === undefined || rejected.headers.get('retry-after') === null, 'nobody knows when');
    await Promise.all(answers.map(async (answer) => await answer.text()));
    assert.equal((await send()).status, 200, 'and all is forgotten afterwards');
  });
});

describe('a form', () => {
  const FORMS = [
    `a=${'+'.repeat(2 * MIB)}&b=${'%20'.repeat(MIB)}`,
    'a=b&'.repeat(19_999),
    'é=%C3%A9&a&=&&b=%zz+%&%ff=1&a=b=c&%4',
    'a=%C3%A9%',
    '=',
    '',
  ];
  for (const size of [1, 7, 64 * 1024]) {
    it(`is read as the URL standard has it, in pieces of ${size} bytes`, () => {
      for (const text of FORMS.filter(({ length }) => size > 1_000 || length < 1_000)) {
        const decoder = createFormDecoder();
        const body = Buffer.from(text);
        for (let at = 0; at < body.length; at += size) decoder.write(body.subarray(at, at + size));
        assert.ok(JSON.stringify([...decoder.end()]) === JSON.stringify([...new URLSearchParams(text)]), text.slice(0, 40));
      }
    });
  }
});
