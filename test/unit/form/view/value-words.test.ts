import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { fallbackWords, valueWords } from '../../../../src/form/view/value-words.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { views } from '../submit.ts';

const words: readonly (readonly [value: Json, words: string, whole: boolean])[] = [
  [3, '3', true],
  [false, 'false', true],
  ['standard', 'standard', true],
  ['', 'an empty text', true],
  [[], 'an empty list', true],
  [{}, 'empty', true],
  [['a', 'b', 3], 'a, b, 3', true],
  [['a, b', '', ' c'], '"a, b", "", " c"', true],
  [{ cpu: '100m', memory: '1Gi' }, 'cpu: 100m, memory: 1Gi', true],
  [{ 'a:b': null }, '"a:b": null', true],
  [[{ name: 'http' }], '1 entry', false],
  [{ a: [1], b: 2 }, '2 entries', false],
  [Array.from({ length: 30 }, () => 'abc'), '30 entries', false],
];

describe('a value in words', () => {
  for (const [value, says, whole] of words) {
    it(`is ${says}`, () => assert.deepEqual(valueWords(value, 40), { words: says, whole }));
  }
});

describe('a default', () => {
  const ports = [
    { name: 'http', port: 80 },
    { name: 'https', port: 443 },
  ];
  const items: JsonObject = {
    type: 'object',
    properties: { name: { type: 'string' }, port: { type: 'integer' }, password: { type: 'string' } },
  };
  const schema: JsonObject = {
    properties: {
      tags: { type: 'array', items: { type: 'string' }, default: ['a', 'b'] },
      ports: { type: 'array', items, default: ports },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { labels: { a: 'b' } } },
      users: { type: 'array', items, default: [{ name: 'admin', password: 'hunter2' }] },
      secrets: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { auth: { password: 'hunter2' } } },
    },
  };
  const model = buildForm({ schema, root: 'spec', curated: ['spec'], mode: 'create' });

  it('of a list is said in its hint, and what is nested is folded away as YAML', () => {
    const html = views.render('parts/form', formView(model, { fields: new URLSearchParams(), base: {}, faults: [] }));
    assert.match(html, /Default: a, b\./);
    assert.match(html, /Default: 2 entries\./);
    assert.match(html, /<summary>Default of Ports<\/summary>/);
    assert.match(html, /- name: http\n {2}port: 80\n- name: https/);
    assert.match(html, /labels:\n {2}a: b/);
    assert.doesNotMatch(html, /\[&quot;|\{&quot;|hunter2/);
  });

  it('with a secret in it is not shown at all', () => {
    const children = model.root.kind === 'group' ? model.root.children : [];
    const reported = children.map((node) => [node.key, fallbackWords(node, 60).words]);
    assert.deepEqual(reported, [
      ['tags', 'a, b'],
      ['ports', '2 entries'],
      ['free', '1 entry'],
      ['users', ''],
      ['secrets', ''],
    ]);
  });
});
