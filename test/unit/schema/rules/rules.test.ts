import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { createRuleCheck, newRules } from '../../../../src/schema/rules/check-rules.ts';

type Schema = Readonly<Record<string, unknown>>;
const text = { type: 'string' };
const int = { type: 'integer' };

function object(properties: Readonly<Record<string, Schema>>, some: Schema = {}): Schema {
  return { type: 'object', properties, ...some };
}

function ruled(schema: Schema, ...rules: readonly string[]): Schema {
  return { ...schema, 'x-kubernetes-validations': rules.map((rule) => ({ rule })) };
}

describe('new rules of a schema', () => {
  it('are those that the schema before had not, wherever they stand', () => {
    const live = object({ spec: ruled(object({ a: int }), 'self.a > 1') });
    const candidate = object({
      spec: ruled(
        object({
          a: ruled(int, 'self < 9'),
          l: { type: 'array', items: ruled(text, 'self != ""') },
          m: { type: 'object', additionalProperties: ruled(int, 'self > 0') },
        }),
        'self.a > 1',
        'self.a > 2',
      ),
      status: ruled(object({}), 'true'),
    });
    assert.deepEqual(
      newRules(live, candidate).map(({ path, rule }) => `${path.join('.')}: ${rule}`),
      ['spec: self.a > 2', 'spec.a: self < 9', 'spec.l.[]: self != ""', 'spec.m.[*]: self > 0'],
    );
  });

  it('about a change say nothing about what is stored', () => {
    assert.deepEqual(newRules(object({}), object({ spec: ruled(text, 'self == oldSelf') })), []);
  });
});

describe('stored objects and new rules', () => {
  const cases: readonly { title: string; schema: Schema; spec: unknown; says: readonly string[] }[] = [
    { title: 'that hold', schema: ruled(object({ a: int }), 'self.a > 1'), spec: { a: 2 }, says: [] },
    {
      title: 'that are broken',
      schema: ruled(object({ a: int }), 'self.a > 1'),
      spec: { a: 1 },
      says: ['spec: it breaks the rule: self.a > 1'],
    },
    { title: 'about an absent member', schema: ruled(object({ a: int }), '!has(self.a) || self.a > 1'), spec: {}, says: [] },
    {
      title: 'about a member that a default fills in',
      schema: ruled(object({ a: { ...int, default: 0 } }), 'self.a > 1'),
      spec: {},
      says: ['spec: it breaks the rule: self.a > 1'],
    },
    {
      title: 'about one entry of a list',
      schema: object({ l: { type: 'array', items: ruled(text, 'self.startsWith("a")') } }),
      spec: { l: ['a', 'b'] },
      says: ['spec.l[1]: it breaks the rule: self.startsWith("a")'],
    },
    {
      title: 'about a member under a free name',
      schema: object({ m: { type: 'object', additionalProperties: ruled(int, 'self > 0') } }),
      spec: { m: { 'x.y': 0 } },
      says: ['spec.m["x.y"]: it breaks the rule: self > 0'],
    },
    {
      title: 'about a name that CEL cannot spell',
      schema: ruled(object({ namespace: text, 'a-b': text }), 'self.__namespace__ == self.a__dash__b'),
      spec: { namespace: 'x', 'a-b': 'y' },
      says: ['spec: it breaks the rule: self.__namespace__ == self.a__dash__b'],
    },
    {
      title: 'about times',
      schema: ruled(object({ t: { ...text, format: 'duration' } }), "self.t < duration('1h')"),
      spec: { t: '90m' },
      says: ["spec: it breaks the rule: self.t < duration('1h')"],
    },
    {
      title: 'about a number that happens to be whole',
      schema: ruled(object({ n: { type: 'number' } }), 'self.n / 2.0 > 1.0'),
      spec: { n: 1 },
      says: ['spec: it breaks the rule: self.n / 2.0 > 1.0'],
    },
    {
      title: 'with a function that only Kubernetes has',
      schema: ruled(object({ q: text }), "quantity(self.q).isLessThan(quantity('1Gi'))"),
      spec: { q: '2Gi' },
      says: ["unchecked: quantity(self.q).isLessThan(quantity('1Gi'))"],
    },
    { title: 'that fail', schema: ruled(object({ a: int }), 'self.a > 1'), spec: {}, says: ['unchecked: self.a > 1'] },
    { title: 'that cannot be read', schema: ruled(object({}), 'self.('), spec: {}, says: ['unchecked: self.('] },
    { title: 'about something that is not there', schema: object({ a: ruled(int, 'self > 1') }), spec: {}, says: [] },
  ];
  for (const { title, schema, spec, says } of cases) {
    it(title, () => {
      const root = object({ spec: schema });
      const { broken, unchecked } = createRuleCheck(root, newRules({}, root))([stored(spec)]);
      assert.deepEqual(
        [...broken.map(({ path, message }) => `${path}: ${message}`), ...unchecked.map((rule) => `unchecked: ${rule}`)],
        says,
      );
    });
  }

  it('about the whole object see its name', () => {
    const root = ruled(object({}), 'self.metadata.name != "one"');
    const { broken } = createRuleCheck(root, newRules({}, root))([stored({})]);
    assert.deepEqual(
      broken.map(({ index, path }) => [index, path]),
      [[0, '']],
    );
  });

  it('say what the schema says, never what is stored', () => {
    const root = object({
      spec: object({ p: { ...text, 'x-kubernetes-validations': [{ rule: 'self.size() > 20', message: 'too short' }] } }),
    });
    const answer = createRuleCheck(root, newRules({}, root))([stored({ p: 's3cret' })]);
    assert.equal(answer.broken[0]?.message, 'it breaks the rule: too short');
    assert.ok(!stringifyJson(answer).includes('s3cret'));
  });
});

function stored(spec: unknown): KubeObject {
  return { apiVersion: 'g/v1', kind: 'A', metadata: { name: 'one', namespace: 'n' }, spec };
}
