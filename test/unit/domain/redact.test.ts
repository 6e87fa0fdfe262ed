import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { failureOf } from '../../../src/helm/failure.ts';
import { redact } from '../../../src/domain/redact.ts';

test('a secret is taken out as it is, in base64, as JSON, in an address and line by line', () => {
  const secret = 'p@ss "word"\nsecond line';
  const text = `a ${secret} b ${Buffer.from(secret).toString('base64')} c ${JSON.stringify(secret)} d ${encodeURIComponent(secret)} e second line`;
  const clean = redact(text, [secret]);
  assert.doesNotMatch(clean, /word|second|cEBzcy/);
  assert.equal(clean.match(/\[secret\]/g)?.length, 5);
});

test('a short secret is taken out where it stands as a word, and leaves other words alone', () => {
  assert.equal(redact('port abc, "ab", ab: a', ['ab']), 'port abc, "[secret]", [secret]: a');
  assert.equal(redact('nothing', ['', ' ']), 'nothing');
});

test('a secret that holds another one goes as a whole', () => {
  assert.equal(redact('x hunter22 hunter2', ['hunter2', 'hunter22']), 'x [secret] [secret]');
});

test('whatever a secret is made of, it is gone', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 4 }), fc.string(), fc.string(), (secret, before, after) => {
      fc.pre(secret.trim().length >= 4 && !'[secret]'.includes(secret));
      return !redact(`${before}${secret}${after}`, [secret]).replaceAll('[secret]', '').includes(secret);
    }),
  );
});

test('what helm writes becomes one sentence under the right code, without its log lines', () => {
  const stderr = 'level=WARN msg="x"\nWARNING: y\nError: INSTALLATION FAILED: cannot reuse a name that is still in use\n';
  const error = failureOf('install of "a" in namespace "b"', stderr, []);
  assert.equal(error.code, 'ReleaseConflict');
  assert.equal(error.message, 'helm install of "a" in namespace "b": INSTALLATION FAILED: cannot reuse a name that is still in use');
  assert.equal(
    failureOf('x', 'Error: Kubernetes cluster unreachable: Get "https://a": dial tcp: connection refused', []).code,
    'ClusterUnavailable',
  );
  assert.equal(failureOf('x', 'Error: release: not found', []).code, 'NotFound');
  assert.equal(
    failureOf('x', 'Error: template: bad password t0psecret here', ['t0psecret']).message,
    'helm x: template: bad password [secret] here',
  );
  assert.equal(failureOf('x', '', []).message, 'helm x: it failed without a word');
});
