import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { layOwnValues } from '../../../../src/domain/values/own-values.ts';

const text = { type: 'string' };
const SCHEMA = {
  type: 'object',
  properties: {
    nick: { ...text, nullable: true },
    note: text,
    limits: { type: 'object', properties: { cpu: text, memory: text } },
    tags: { type: 'array', items: text },
    source: {
      type: 'object',
      properties: { git: text, oci: text, depth: { type: 'integer' } },
      oneOf: [{ required: ['git'] }, { required: ['oci'] }],
    },
  },
};

const CASES: readonly { readonly because: string; readonly lower: JsonObject; readonly own: JsonObject; readonly laid: JsonObject }[] = [
  {
    because: 'maps are merged, lists are replaced',
    lower: { limits: { cpu: '1', memory: '1Gi' }, tags: ['a'] },
    own: { limits: { cpu: '2' }, tags: ['b'] },
    laid: { limits: { cpu: '2', memory: '1Gi' }, tags: ['b'] },
  },
  { because: 'null stays null where it may be', lower: { nick: 'cat' }, own: { nick: null }, laid: { nick: null } },
  { because: 'null takes a value away where it may not be', lower: { note: 'x' }, own: { note: null }, laid: {} },
  {
    because: 'null of what nothing describes stays',
    lower: { free: 1 },
    own: { free: null, more: null },
    laid: { free: null, more: null },
  },
  {
    because: 'who chooses one alternative takes the other away, and nothing beside it',
    lower: { source: { git: 'a', depth: 1 } },
    own: { source: { oci: 'b' } },
    laid: { source: { oci: 'b', depth: 1 } },
  },
  {
    because: 'who chooses no alternative keeps the one that is there',
    lower: { source: { git: 'a' } },
    own: { source: { depth: 2 } },
    laid: { source: { git: 'a', depth: 2 } },
  },
  {
    because: 'names of prototypes are names',
    lower: {},
    own: { constructor: 1, toString: { a: null } },
    laid: { constructor: 1, toString: { a: null } },
  },
];

for (const { because, lower, own, laid } of CASES) {
  test(because, () => {
    assert.deepEqual(layOwnValues(lower, own, SCHEMA), laid);
  });
}
