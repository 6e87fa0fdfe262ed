import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { parseChartSecret } from '../../../../src/domain/chart/chart-secret.ts';
import { isAppError } from '../../../../src/domain/core/errors.ts';
import { parseVerifySecret } from '../../../../src/domain/chart/verify-secret.ts';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import { issueCertificate } from '../../../../src/embedded/cluster/certificate.ts';
import { secretOf } from '../../../support/chart-secrets.ts';

const HTTPS = 'https://charts.example.com/stable';
const OCI = 'oci://registry.example.com/team/charts';
const LIFETIME = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
const AUTHORITY = issueCertificate({ commonName: 'a', use: 'authority', ...LIFETIME });
const PAIR = issueCertificate({ commonName: 'a', use: 'client', ...LIFETIME }, AUTHORITY);

describe('the Secret of a private source', () => {
  it('gives user and password, or a token, as the header that is sent', () => {
    const basic = parseChartSecret(secretOf({ username: 'ann', password: 's3cret:x' }), HTTPS);
    assert.equal(basic.login?.authorization.reveal(), `Basic ${Buffer.from('ann:s3cret:x').toString('base64')}`);
    const bearer = parseChartSecret(secretOf({ bearerToken: 't0ken\n' }), HTTPS);
    assert.deepEqual([bearer.login?.scheme, bearer.login?.authorization.reveal()], ['Bearer', 'Bearer t0ken']);
    assert.equal(basic.reach, 'OwnOrigin');
    assert.equal(parseChartSecret(secretOf({ bearerToken: 't', passCredentialsAll: 'true' }), HTTPS).reach, 'ListedAddresses');
  });

  it('prints nothing of what it holds, wherever it is printed', () => {
    const parsed = parseChartSecret(
      secretOf({ username: 'ann', password: 's3cret', 'tls.crt': PAIR.certificate, 'tls.key': PAIR.key }),
      HTTPS,
    );
    const basic = Buffer.from('ann:s3cret').toString('base64');
    for (const text of [inspect(parsed, { depth: 9 }), stringifyJson(parsed), String(parsed.login?.authorization)]) {
      assert.ok(text.includes('[secret]'));
      assert.ok(!text.includes('s3cret') && !text.includes(basic) && !text.includes('PRIVATE'), text);
    }
  });

  it('finds the entry of the registry in a docker configuration, the longest path first', () => {
    const pair = (text: string) => ({ auth: Buffer.from(text).toString('base64') });
    const auths = {
      'other.example.com': pair('x:x'),
      'https://registry.example.com/v2/': pair('all:1'),
      'registry.example.com/team': pair('team:2'),
      'registry.example.com/tea': pair('tea:3'),
      'https://index.docker.io/v1/': { username: 'hub', password: '4' },
    };
    const login = (repoURL: string): string => {
      const object = { ...secretOf({ '.dockerconfigjson': JSON.stringify({ auths }) }), type: 'kubernetes.io/dockerconfigjson' };
      const header = parseChartSecret(object, repoURL).login?.authorization.reveal() ?? '';
      return Buffer.from(header.replace('Basic ', ''), 'base64').toString();
    };
    assert.equal(login(OCI), 'team:2');
    assert.equal(login('oci://registry.example.com/teams'), 'all:1');
    assert.equal(login('oci://registry-1.docker.io/library'), 'hub:4');
    assert.throws(() => login('oci://new.example.com/a'), /no entry for new\.example\.com/);
    assert.throws(() => login(HTTPS), /is for oci repositories/);
  });

  const rejected: readonly [string, Readonly<Record<string, string>>, RegExp][] = [
    ['nothing of use', { user: 'ann' }, /it has none of the keys username and password/],
    ['a user without a password', { username: 'ann' }, /it has no key "password"/],
    ['a password without a user', { password: 's3cret' }, /it has no key "username"/],
    ['a line break at the end of a password', { username: 'ann', password: 's3cret\n' }, /its key "password" holds a line break/],
    ['a colon in a user name', { username: 'ann:x', password: 's3cret' }, /"username" is empty or holds a colon/],
    ['two ways to sign in', { username: 'ann', password: 's3cret', bearerToken: 't' }, /"username" and "bearerToken"/],
    ['a token of two lines', { bearerToken: 's3cret\nx-other: 1' }, /its key "bearerToken"/],
    ['an authority that is none', { 'ca.crt': 's3cret' }, /its key "ca\.crt" has no certificates/],
    ['a certificate without its key', { 'tls.crt': PAIR.certificate }, /it has no key "tls\.key"/],
    ['a key of another certificate', { 'tls.crt': PAIR.certificate, 'tls.key': AUTHORITY.key }, /no certificate and its private key/],
    ['a docker configuration that is not JSON', { '.dockerconfigjson': '{s3cret' }, /is for oci|not JSON/],
    ['a half-hearted answer', { bearerToken: 't', passCredentialsAll: 's3cret' }, /"passCredentialsAll" is neither true nor false/],
  ];
  for (const [title, texts, sentence] of rejected) {
    it(`rejects ${title}, and quotes nothing`, () => {
      assert.throws(
        () => parseChartSecret(secretOf(texts), HTTPS),
        (error) => {
          assert.ok(isAppError(error, 'ChartSecretInvalid'));
          assert.match(error.message, sentence);
          assert.match(error.message, /^chart: Secret "ops\/repo": /);
          assert.doesNotMatch(error.message, /s3cret/);
          return true;
        },
      );
    });
  }
});

describe('the Secret of trusted signers', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });

  it('is another policy when it holds other keys', () => {
    const one = parseVerifySecret(secretOf({ 'cosign.pub': pem }), 'Cosign');
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    assert.deepEqual(
      one.keys.map(({ name }) => name),
      ['cosign.pub'],
    );
    assert.equal(parseVerifySecret(secretOf({ 'cosign.pub': pem, note: 'x' }), 'Cosign').digest, one.digest);
    assert.notEqual(parseVerifySecret(secretOf({ 'cosign.pub': pem, 'next.pub': other }), 'Cosign').digest, one.digest);
  });

  it('must hold public keys, and those only', () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' });
    assert.throws(() => parseVerifySecret(secretOf({ 'cosign.pub': pem }), 'Provenance'), /no key "pubring\.gpg" or another/);
    assert.throws(() => parseVerifySecret(secretOf({ 'a.asc': 'x' }), 'Cosign'), /no key "cosign\.pub"/);
    assert.throws(() => parseVerifySecret(secretOf({ 'a.pub': 'x' }), 'Cosign'), /its key "a\.pub" is no public key/);
    assert.throws(() => parseVerifySecret(secretOf({ 'a.pub': weak }), 'Cosign'), /RSA of 2048 bits/);
    const mistake = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    assert.throws(() => parseVerifySecret(secretOf({ 'a.pub': mistake }), 'Cosign'), /holds a private key/);
  });
});
