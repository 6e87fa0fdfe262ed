import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { newRules } from '../../../../src/schema/rules/check-rules.ts';
import { startStoredChecker } from '../../../../src/schema/stored/stored-checker.ts';
import { int, object, text } from '../../../support/sample-crds.ts';

const NEVER = "self.matches('^(a+)+$')";
const ruled = object({ spec: object({ p: { ...text, 'x-kubernetes-validations': [{ rule: NEVER }] }, n: int }) });
const subject = { schema: ruled, prefix: 'v2 ', rules: newRules({}, ruled) };
const endless = stored({ p: `${'a'.repeat(50)}b`, n: 'x' });
const wrong = { instance: 'A n/one', path: 'v2 spec.n', message: 'it is not of the type integer' };

/** Each of many entries is held against each of many conditions, which none of them meets. */
const slow = object({
  spec: object({ all: { type: 'array', items: { ...text, anyOf: Array.from({ length: 5000 }, (_, n) => ({ pattern: `^${n}$` })) } } }),
});

describe('holding stored objects against a schema in a thread', () => {
  it('answers page after page, by the schema and by its rules', async () => {
    const checker = startStoredChecker(subject, 10_000);
    assert.deepEqual(await checker.check([]), { faults: [], rules: { broken: [], unchecked: [] } });
    assert.deepEqual(await checker.check([stored({ p: 'a', n: 1 })]), { faults: [], rules: { broken: [], unchecked: [] } });
    const answer = await checker.check([stored({ p: 'b', n: 'x' })]);
    assert.deepEqual([answer?.faults, answer?.rules.broken.length], [[wrong], 1]);
    await checker.close();
  });

  it('gives up on a rule that never ends, says what was not checked, and goes on with the schema', async () => {
    const checker = startStoredChecker(subject, 2_000);
    const rules = { broken: [], unchecked: [NEVER] };
    assert.deepEqual(await checker.check([endless]), { faults: [wrong], rules });
    assert.deepEqual(await checker.check([stored({ p: 'b', n: 'x' })]), { faults: [wrong], rules });
    await checker.close();
  });

  it('gives up on a schema that takes too long', async () => {
    const checker = startStoredChecker({ schema: slow, prefix: '', rules: [] }, 300);
    assert.equal(await checker.check([stored({ all: Array.from({ length: 100_000 }, (_, n) => `x${n}`) })]), undefined);
    assert.equal(await checker.check([stored({ all: [] })]), undefined, 'nor is it tried again');
    await checker.close();
  });
});

function stored(spec: unknown): KubeObject {
  return { apiVersion: 'g/v1', kind: 'A', metadata: { name: 'one', namespace: 'n' }, spec };
}
