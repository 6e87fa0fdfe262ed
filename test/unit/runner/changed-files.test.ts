import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { affectedBy } from '../../runner/changed-files.ts';

const TESTS = [
  'test/unit/runner/changed-files.test.ts',
  'test/unit/controller/queue.test.ts',
  'test/web/pages.test.ts',
  'test/cluster/documentation.test.ts',
];

const CASES = [
  [
    'src/controller/queue.ts',
    ['test/unit/controller/queue.test.ts', 'test/cluster/documentation.test.ts'],
    'a module: what imports it, however far away',
  ],
  ['test/runner/changed-files.ts', ['test/unit/runner/changed-files.test.ts'], 'a module of the tests'],
  ['views/layout.hbs', ['test/web/pages.test.ts'], 'a view: the pages'],
  ['docs/cli.md', ['test/cluster/documentation.test.ts'], 'a page of the docs: its blocks'],
] as const;

describe('the tests that a change affects', () => {
  for (const [changed, affected, what] of CASES) {
    it(`of ${what}`, () => {
      const found = affectedBy([changed], TESTS);
      assert.deepEqual(
        found,
        TESTS.filter((test) => (affected as readonly string[]).includes(test)),
      );
    });
  }
});
