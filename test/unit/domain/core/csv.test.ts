import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvText } from '../../../../src/domain/core/plain-text.ts';

describe('a table as CSV', () => {
  it('quotes what RFC 4180 says must be quoted, and ends each line with CRLF', () => {
    assert.equal(
      csvText([
        ['name', 'ready'],
        ['a, "b"', 2],
        ['two\nlines', 0],
      ]),
      'name,ready\r\n"a, ""b""",2\r\n"two\nlines",0\r\n',
    );
  });

  const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =cmd|x', '＝1'];
  for (const cell of formulas) {
    it(`gives a spreadsheet nothing to evaluate for ${JSON.stringify(cell)}`, () => {
      assert.equal(csvText([[cell]]), `"'${cell}"\r\n`);
    });
  }

  it('leaves an ordinary text alone', () => {
    assert.equal(csvText([['web-5c9d', 'a=b']]), 'web-5c9d,a=b\r\n');
  });
});
