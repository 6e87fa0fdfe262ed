import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDocument } from 'yaml';
import { repeatedKey } from '../../../../src/domain/core/bounded-yaml.ts';

describe('a key that stands twice', () => {
  const CASES: readonly (readonly [string, string, string | undefined])[] = [
    ['in a map', 'a: 1\nb: 2\na: 3\n', 'a: 3'],
    ['within a list', '- {x: 1}\n- {y: 1, y: 2}\n', 'y: 2}'],
    ['in two maps is none', 'a: {x: 1}\nb: {x: 1}\n', undefined],
    ['as text and as number is none', '1: a\n"1": b\n', undefined],
  ];
  for (const [what, text, found] of CASES) {
    it(what, () => {
      const offset = repeatedKey(parseDocument(text, { uniqueKeys: false }));
      assert.equal(offset === undefined ? undefined : text.slice(offset).split('\n')[0], found);
    });
  }

  it('is found where the parser would compare each with all before it', () => {
    let compared = 0;
    const text = `${Array.from({ length: 20_000 }, (_, index) => `k${index}: 1\n`).join('')}k7: 2\n`;
    const document = parseDocument(text, { uniqueKeys: false });
    const { contents } = document;
    assert.ok(contents !== null && 'items' in contents);
    for (const { key } of contents.items as { key: { value: unknown } }[]) {
      const { value } = key;
      Object.defineProperty(key, 'value', {
        get: () => {
          compared += 1;
          return value;
        },
      });
    }
    assert.equal(repeatedKey(document), text.lastIndexOf('k7: 2'));
    assert.ok(compared < 100_000, `each key is looked at a few times, not ${compared} times in all`);
  });
});
