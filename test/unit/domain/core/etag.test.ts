import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPreconditions, parsePreconditions } from '../../../../src/domain/kubernetes/etag.ts';
import { isAppError } from '../../../../src/domain/core/errors.ts';

const NOW = '"a.1"';

function outcome(ifMatch: string | undefined, ifNoneMatch: string | undefined, etag: string | undefined): string {
  try {
    checkPreconditions('thing', etag, parsePreconditions({ ifMatch, ifNoneMatch }));
    return 'passes';
  } catch (error) {
    return isAppError(error) ? error.code : String(error);
  }
}

describe('a precondition', () => {
  for (const [header, expected, why] of [
    [NOW, 'passes', 'it is the present tag'],
    ['"a.2"', 'PreconditionFailed', 'it is another tag'],
    [`"x", ${NOW}`, 'passes', 'one of the list is the present tag'],
    [` "x" ,,\t${NOW} `, 'passes', 'empty members and blanks of a list do not count'],
    ['"a,b", "c"', 'PreconditionFailed', 'a comma within quotes separates nothing'],
    ['*', 'passes', 'it exists'],
    [`W/${NOW}`, 'PreconditionFailed', 'a weak tag never matches strongly'],
    ['a.1', 'MalformedRequest', 'a tag has quotes'],
    [`${NOW}${NOW}`, 'MalformedRequest', 'members are separated by commas'],
    [`*, ${NOW}`, 'MalformedRequest', '`*` stands alone'],
    ['', 'MalformedRequest', 'nothing is listed'],
  ] as const) {
    it(`If-Match: ${header} ${expected}, as ${why}`, () => assert.equal(outcome(header, undefined, NOW), expected));
  }

  for (const [header, expected, why] of [
    [NOW, 'PreconditionFailed', 'it is the present tag'],
    [`W/${NOW}`, 'PreconditionFailed', 'weak tags match here'],
    ['*', 'PreconditionFailed', 'it exists'],
    ['"a.2"', 'passes', 'it is another tag'],
  ] as const) {
    it(`If-None-Match: ${header} ${expected}, as ${why}`, () => assert.equal(outcome(undefined, header, NOW), expected));
  }

  it('names no version of what has no strong ETag', () => {
    assert.deepEqual([outcome('"a.1"', undefined, undefined), outcome('*', undefined, undefined)], ['PreconditionFailed', 'passes']);
  });
});
