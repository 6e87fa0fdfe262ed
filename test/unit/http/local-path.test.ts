import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assert as holds, oneof, property, string, webPath } from 'fast-check';
import { localPath } from '../../../src/http/local-path.ts';

describe('a path to return to', () => {
  const KEPT = ['/', '/apps?q=a&q=b#top', '/apps/caches.samples.chandlery.dev', '/a%20b', '/a/./b', '/@evil.example', '/:80'];
  for (const path of KEPT) {
    it(`is kept: ${path}`, () => assert.equal(localPath(path), new URL(path, 'http://x').href.slice('http://x'.length)));
  }

  const REJECTED: readonly [string, unknown][] = [
    ['the root of another host', '//evil.example'],
    ['a backslash that browsers read as a slash', '/\\evil.example'],
    ['a backslash later on', '/a\\b'],
    ['another scheme', 'https://evil.example/'],
    ['a script', 'javascript:alert(1)'],
    ['a relative path', 'apps'],
    ['nothing', ''],
    ['a line break', '/a\r\nSet-Cookie: x=y'],
    ['a tab that browsers drop', '/\t/evil.example'],
    ['a space that browsers drop', '/ /evil.example'],
    ['dots that resolve to another host', '/..//evil.example'],
    ['a dot that resolves to another host', '/.//evil.example'],
    ['something endless', `/${'a'.repeat(3000)}`],
    ['several values', ['/a', '/b']],
    ['no value', undefined],
  ];
  for (const [what, text] of REJECTED) it(`is rejected: ${what}`, () => assert.equal(localPath(text), undefined));

  it('stays on our origin, whatever is typed', () => {
    const typed = oneof(
      webPath(),
      string(),
      string().map((text) => `/${text}`),
    );
    holds(
      property(typed, (text) => {
        const path = localPath(text);
        return path === undefined || new URL(path, 'https://ours.example').origin === 'https://ours.example';
      }),
    );
  });
});
