import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAppAllowed } from '../../../../src/domain/environment/allowed-apps.ts';

const CACHE = { id: 'caches.samples.chandlery.dev', category: 'Databases' };
const CASES: readonly (readonly [string, { readonly allow?: string[]; readonly deny?: string[] }, boolean])[] = [
  ['nothing named allows all', {}, true],
  ['an exact name allows', { allow: [CACHE.id] }, true],
  ['another name does not', { allow: ['queues.samples.chandlery.dev'] }, false],
  ['a name is not a part of a name', { allow: ['caches.samples.chandlery'] }, false],
  ['* stands for any characters', { allow: ['*.samples.chandlery.dev'] }, true],
  ['* in the middle', { allow: ['caches.*.dev'] }, true],
  ['several *, in their order', { allow: ['*samples*chandlery*'] }, true],
  ['several *, in another order', { allow: ['*chandlery*samples*'] }, false],
  ['parts around a * do not overlap', { allow: ['caches.samples.chandlery.dev*dev'] }, false],
  ['a category, whatever its case', { allow: ['category:databases'] }, true],
  ['another category', { allow: ['category:Queues'] }, false],
  ['deny goes over allow', { allow: ['*'], deny: ['category:Databases'] }, false],
  ['deny of another app', { deny: ['queues.*'] }, true],
];

describe('an app in an environment', () => {
  for (const [title, { allow = [], deny = [] }, expected] of CASES) {
    it(`${title}: ${expected ? 'allowed' : 'not allowed'}`, () => assert.equal(isAppAllowed({ allow, deny }, CACHE), expected));
  }
});
