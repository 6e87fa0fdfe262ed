import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { failureOf } from '../../../../src/helm/failure.ts';
import { redact } from '../../../../src/domain/core/secret.ts';
import { runs } from '../../../support/runs.ts';

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

test('an escape of four or eight digits ends where it ends, whatever is behind it', () => {
  const secret = 'é日cafe語';
  const codes = Array.from(secret, (sign) => (sign.codePointAt(0) ?? 0).toString(16));
  const four = codes.map((code) => `\\u${code.padStart(4, '0')}`).join('');
  const eight = codes.map((code) => `\\U${code.padStart(8, '0')}`).join('');
  const mixed = secret.replaceAll(/[^a-z]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  assert.equal(redact(`${four} ${eight} ${mixed} ${four.toUpperCase()}.`, [secret]), '[secret] [secret] [secret] [secret].');
});

const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in JSON': (secret) => JSON.stringify(secret),
  'in JSON within JSON': (secret) => JSON.stringify(JSON.stringify({ a: secret })),
  'in the JSON of Go': (secret) =>
    JSON.stringify(secret).replaceAll(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'in ASCII with escapes': (secret) =>
    Array.from(secret, (sign) => (sign > '~' ? `\\U${(sign.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}` : sign)).join(''),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64 for addresses': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64 with more before and behind it': (secret) => Buffer.from(`me:${secret}@host`).toString('base64'),
  'twice in base64': (secret) => Buffer.from(Buffer.from(secret).toString('base64')).toString('base64'),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'in an address': (secret) => encodeURIComponent(secret).replaceAll('%20', '+'),
  'twice in an address': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'in HTML': (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;').replaceAll("'", '&#39;'),
  'in single quotes of YAML': (secret) => `'${secret.replaceAll("'", "''")}'`,
  'in small letters': (secret) => secret.toLowerCase(),
  'in capitals': (secret) => secret.toUpperCase(),
  'over lines': (secret) => (secret.match(/.{1,6}/gsu) ?? []).join('\n      '),
  'as the first half': (secret) => secret.slice(0, Math.ceil(secret.length / 2) + 4),
};
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

for (const [how, spell] of Object.entries(SPELLINGS)) {
  test(`a secret ${how} is gone`, () => {
    // Sixteen letters somewhere in it are what can be looked for in the result.
    const core = fc.string({ unit: fc.constantFrom(...LETTERS.split('')), minLength: 16, maxLength: 24 });
    const around = fc.string({
      unit: fc.constantFrom('<', '>', '&', '"', "'", '\\', '\n', ' ', 'é', '日', '😀', '$', '%', '/'),
      maxLength: 4,
    });
    fc.assert(
      fc.property(around, core, around, fc.constantFrom('a ', 'error: "', '- '), (head, middle, tail, before) => {
        const secret = `${head}${middle}${tail}`;
        const clean = redact(`${before}${spell(secret)}" end`, [secret]);
        assert.ok(clean.includes('[secret]'), clean);
        const traces = [spell(middle), ...traceOf(spell(secret))];
        for (const trace of traces) assert.ok(!clean.includes(trace), `${clean} has ${trace}`);
      }),
      { numRuns: runs(100) },
    );
  });
}

/** Nine signs of the middle of a spelling. */
function traceOf(spelled: string): string[] {
  const middle = Math.floor(spelled.length / 2);
  return [spelled.slice(middle - 4, middle + 5)];
}

test('whatever a secret is made of, it is gone', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 4 }), fc.string(), fc.string(), (secret, before, after) => {
      fc.pre(secret.trim().length >= 4 && !'[secret]'.includes(secret.trim().toLowerCase()));
      return !redact(`${before}${secret}${after}`, [secret]).replaceAll('[secret]', '').includes(secret);
    }),
    { numRuns: runs(500) },
  );
});

test('what is no secret stays readable', () => {
  const secrets = ['S3cret-of-the-team!', 'rest', 'db.example.com'];
  const text = 'Deployment team-a/web: spec.replicas: Invalid value: 3: must be less than the number of pods that are stored';
  assert.equal(redact(text, secrets), text);
});

test('a part of a large secret is found beside many others in a long text', () => {
  const large = Array.from({ length: 256 * 1024 }, (_, index) => LETTERS.charAt((index * 7919 + (index >> 5)) % LETTERS.length)).join('');
  const many = Array.from({ length: 500 }, (_, index) => `secret-${index}-${'x'.repeat(index % 40)}${index * 7919}`);
  const text = `${'an ordinary line of a manifest: with values\n'.repeat(1_000)}${large.slice(1000, 1100)} ${many[7] ?? ''}`;
  assert.match(redact(text, [large, ...many]).slice(-100), /values\n\[secret\] \[secret\]$/);
});

test('a run of a secret is gone over once: from each of its letters again, one as large as a Secret would take an hour', () => {
  const same = 'a'.repeat(1024 * 1024);
  assert.equal(redact(`x ${same}`, [same]), 'x [secret]');
});

test('secrets are read once for all the texts that they are taken out of', () => {
  let reads = 0;
  const get = (target: readonly string[], key: string | symbol): unknown => {
    if (key === '0') reads += 1;
    return Reflect.get(target, key);
  };
  const secrets = new Proxy(['hunter22', 'S3cret-of-the-team!'], { get });
  assert.equal(redact('a hunter22', secrets), 'a [secret]');
  const first = reads;
  assert.equal(redact('b hunter22', secrets), 'b [secret]');
  assert.deepEqual([first > 0, reads], [true, first]);
});

test('where there are more secrets than can be looked for, every text about them is one', () => {
  const secrets = Array.from({ length: 9_500 }, (_, index) => `${index}-${'qwertz'.repeat(12)}`);
  assert.equal(redact('the password of web is wrong', secrets), '[secret]');
  assert.equal(redact('Healthy', secrets), 'Healthy');
  assert.equal(redact('Healthy', [...secrets, 'healthy']), '[secret]');
});

test('what helm writes becomes one sentence under the right error code, without its log lines', () => {
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
