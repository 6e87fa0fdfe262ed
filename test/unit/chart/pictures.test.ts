import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pictureType } from '../../../src/chart/fetch/picture-type.ts';
import { createPictureLibrary, type PictureLibrary } from '../../../src/chart/fetch/pictures.ts';
import { serveHttps } from '../../support/charts.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100)]);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

describe('the pictures of charts', () => {
  const served = async (
    t: TestContext,
    listener: RequestListener,
    allowEgress = LOOPBACK,
  ): Promise<{ library: PictureLibrary; at: string; asked: string[] }> => {
    const asked: string[] = [];
    const site = await serveHttps(t, (request, response) => {
      asked.push(`${request.url} ${request.headers.cookie ?? ''}${request.headers.authorization ?? ''}`.trim());
      listener(request, response);
    });
    return {
      library: createPictureLibrary({ mirrors: [], allowEgress, certificateAuthorities: [site.authority] }),
      at: site.address,
      asked,
    };
  };
  const signal = (): AbortSignal => AbortSignal.timeout(20_000);

  it('are fetched once, without saying who asks, and are what their bytes say', async (t) => {
    const { library, at, asked } = await served(t, (_request, response) => response.setHeader('content-type', 'text/html').end(PNG));
    const both = await Promise.all([library.find(`${at}/a.png`, signal()), library.find(`${at}/a.png`, signal())]);
    assert.deepEqual(both, [
      { type: 'image/png', bytes: PNG },
      { type: 'image/png', bytes: PNG },
    ]);
    await library.find(`${at}/a.png`, signal());
    assert.deepEqual(asked, ['/a.png']);
  });

  const none: readonly (readonly [what: string, listener: RequestListener])[] = [
    ['a page', (_request, response) => response.end('<!doctype html><script>alert(1)</script>')],
    ['a page that calls itself a picture', (_request, response) => response.setHeader('content-type', 'image/png').end('<html></html>')],
    ['more than a mebibyte', (_request, response) => response.end(Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]))],
    ['a bomb', (_request, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(8 * 1024 * 1024)))],
    ['nothing', (_request, response) => response.writeHead(404).end()],
    ['a redirect into the site', (_request, response) => response.writeHead(302, { location: 'https://169.254.169.254/latest' }).end()],
    ['a redirect to a file', (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end()],
    ['a picture that grows by entities', (_request, response) => response.end(`<!DOCTYPE svg [<!ENTITY a "b">]>${SVG}`)],
  ];
  for (const [what, listener] of none) {
    it(`are none where there is ${what}, which is remembered`, async (t) => {
      const { library, at, asked } = await served(t, listener);
      assert.equal(await library.find(`${at}/a`, signal()), undefined);
      assert.equal(await library.find(`${at}/a`, signal()), undefined);
      assert.equal(asked.length, 1);
    });
  }

  it('are not fetched from closed or odd addresses', async (t) => {
    const { library, at, asked } = await served(t, (_request, response) => response.end(PNG), []);
    for (const address of [at, 'https://[::ffff:7f00:1]/', 'http://example.com/a.png', 'file:///etc/passwd', 'oci://a/b', 'https://[', ''])
      assert.equal(await library.find(address, signal()), undefined, address);
    assert.deepEqual(asked, []);
  });

  it('are forgotten, the oldest first, beyond 16 MiB', async (t) => {
    const { library, at, asked } = await served(t, (_request, response) => response.end(Buffer.concat([PNG, Buffer.alloc(900_000)])));
    for (let index = 0; index < 20; index += 1) await library.find(`${at}/${index}`, signal());
    await library.find(`${at}/19`, signal());
    await library.find(`${at}/0`, signal());
    assert.equal(asked.length, 21);
  });

  const types: readonly (readonly [string, string | Buffer, ReturnType<typeof pictureType>])[] = [
    ['JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'],
    ['GIF', 'GIF89a....', 'image/gif'],
    ['WebP', 'RIFF....WEBPVP8 ', 'image/webp'],
    ['WAVE', 'RIFF....WAVEfmt ', undefined],
    ['SVG', SVG, 'image/svg+xml'],
    [
      'SVG behind a declaration, comments and a DOCTYPE',
      `\uFEFF<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg PUBLIC "a" "b">\n<!-- b -->${SVG}`,
      'image/svg+xml',
    ],
    ['HTML with an SVG inside', `<html>${SVG}</html>`, undefined],
    ['PDF', '%PDF-1.7', undefined],
    ['nothing', '', undefined],
  ];
  for (const [what, bytes, type] of types)
    it(`are known by their bytes: ${what}`, () => assert.equal(pictureType(Buffer.from(bytes)), type));
});
