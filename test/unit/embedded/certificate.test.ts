import { X509Certificate } from 'node:crypto';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { test } from 'node:test';
import { issueCertificate, isUsableCertificate, type KeyPair } from '../../../src/embedded/cluster/certificate.ts';

const DAY = 86_400_000;
const lifetime = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + 90 * DAY) };
const soon = new Date(Date.now() + DAY);
const authority = issueCertificate({ commonName: 'authority', use: 'authority', ...lifetime });
const stranger = issueCertificate({ commonName: 'authority', use: 'authority', ...lifetime });
const server = issueCertificate({ commonName: 'server', use: 'server', hosts: ['localhost', '127.0.0.1'], ...lifetime }, authority);
const client = issueCertificate({ commonName: 'ann', organization: 'staff', use: 'client', ...lifetime }, authority);

test('a server and a client of one authority accept each other, and the server reads who the client is', async () => {
  assert.equal(await greet(client), 'CN=ann O=staff');
});

test('a client of another authority of the same name is turned away', async () => {
  const impostor = issueCertificate({ commonName: 'ann', organization: 'staff', use: 'client', ...lifetime }, stranger);
  assert.equal(await greet(impostor), 'turned away');
});

test('a certificate for servers does not let anybody in as a client', async () => {
  assert.equal(await greet(server), 'turned away');
});

test('a certificate says what it is for, so that other implementations accept it too', () => {
  const parsed = new X509Certificate(server.certificate);
  assert.equal(parsed.ca, false);
  assert.equal(new X509Certificate(authority.certificate).ca, true);
  assert.equal(parsed.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1');
  assert.deepEqual(parsed.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  assert.match(parsed.serialNumber, /^[4-7][0-9A-F]{31}$/);
});

const cases: readonly (readonly [string, KeyPair, Parameters<typeof isUsableCertificate>[1], boolean])[] = [
  ['everything fits', server, { issuer: authority, hosts: ['localhost', '127.0.0.1'], until: soon }, true],
  ['it will have ended', server, { issuer: authority, until: new Date(Date.now() + 91 * DAY) }, false],
  ['a host is not named', server, { issuer: authority, hosts: ['example.org'], until: soon }, false],
  ['an address is not named', server, { issuer: authority, hosts: ['127.0.0.2'], until: soon }, false],
  ['somebody else signed it', server, { issuer: stranger, until: soon }, false],
  ['the key belongs to another certificate', { ...server, key: client.key }, { issuer: authority, until: soon }, false],
  ['the file is damaged', { ...server, certificate: server.certificate.slice(0, 200) }, { issuer: authority, until: soon }, false],
];
for (const [when, pair, expected, usable] of cases) {
  test(`a certificate is ${usable ? 'used' : 'made anew'} when ${when}`, () => {
    assert.equal(isUsableCertificate(pair, expected), usable);
  });
}

/** What a TLS server that demands certificates reads of a client. */
async function greet(pair: KeyPair): Promise<string> {
  const tls = { cert: server.certificate, key: server.key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
  const listener = createServer(tls, (socket) => {
    const { subject } = socket.getPeerCertificate();
    socket.end(`CN=${String(subject.CN)} O=${String(subject.O)}`);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  try {
    const socket = connect({ port, host: '127.0.0.1', ca: authority.certificate, cert: pair.certificate, key: pair.key });
    const greeting = (await socket.setEncoding('utf8').toArray()).join('');
    return greeting === '' ? 'turned away' : greeting;
  } catch {
    return 'turned away';
  } finally {
    listener.close();
  }
}
