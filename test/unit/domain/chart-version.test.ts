import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newerVersion, versionToAskFor, type VersionWish } from '../../../src/domain/chart-version.ts';
import { cycleThrough } from '../../../src/domain/dependency-cycle.ts';

describe('the version to ask a repository for', () => {
  const cases: readonly [string, VersionWish, string][] = [
    ['one that is named is asked for, whatever is installed', { version: '1.2.0', policy: 'Manual', installed: '1.0.0' }, '1.2.0'],
    ['a range is asked for when nothing is installed', { version: '^1.0', policy: 'Manual', installed: undefined }, '^1.0'],
    ['what is installed stays under Manual', { version: '^1.0', policy: 'Manual', installed: '1.1.0' }, '1.1.0'],
    ['what has left the range goes under Manual, too', { version: '^2.0', policy: 'Manual', installed: '1.1.0' }, '^2.0'],
    ['the range decides under Automatic', { version: '^1.0', policy: 'Automatic', installed: '1.1.0' }, '^1.0'],
    ['a version with a v is one version', { version: 'v1.2.0', policy: 'Manual', installed: '1.0.0' }, 'v1.2.0'],
  ];
  for (const [title, wish, expected] of cases) it(title, () => assert.equal(versionToAskFor(wish), expected));
});

describe('a newer version', () => {
  const offered = ['1.0.0', '1.10.0', '1.9.0', '2.0.0', '3.0.0-rc.1', 'latest'];
  const cases: readonly [string, string, string, string | undefined][] = [
    ['of a range is the newest in it', '^1.0', '1.0.0', '1.10.0'],
    ['than the newest of the range does not exist', '^1.0', '1.10.0', undefined],
    ['than one exact version is the newest that was released', '1.0.0', '1.0.0', '2.0.0'],
    ['than a candidate that is ahead of all does not exist', '3.0.0-rc.1', '3.0.0-rc.1', undefined],
    ['than something that is no version does not exist', '^1.0', 'x', undefined],
  ];
  for (const [title, version, current, expected] of cases) it(title, () => assert.equal(newerVersion(offered, version, current), expected));
});

describe('a cycle of dependencies', () => {
  const edges = (text: string): Map<string, readonly string[]> =>
    new Map(text.split(' ').map((edge): [string, string[]] => [edge.slice(0, 1), edge.slice(2).split(',')]));
  const cases: readonly [string, string, readonly string[] | undefined][] = [
    ['is found in an Operator that names itself', 'a:a', ['a', 'a']],
    ['is found over others, by the shortest way', 'a:b,c b:d d:a c:a', ['a', 'c', 'a']],
    ['of others is theirs', 'a:b b:c c:b', undefined],
    ['is not seen in two ways to the same', 'a:b,c b:d c:d', undefined],
  ];
  for (const [title, text, expected] of cases) it(title, () => assert.deepEqual(cycleThrough('a', edges(text)), expected));
});
