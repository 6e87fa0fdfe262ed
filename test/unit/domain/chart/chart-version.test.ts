import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparableVersion } from '../../../../src/domain/chart/comparable-version.ts';
import {
  checkRange,
  isMajorStep,
  newerVersion,
  requestedVersion,
  type Channel,
  type VersionRequest,
} from '../../../../src/domain/chart/chart-version.ts';
import { cycleThrough } from '../../../../src/domain/core/dependency-cycle.ts';

const OFFERED = ['1.0.0', '1.10.0', '1.9.0', '2.0.0', '3.0.0-rc.1', 'latest'];

describe('the version to ask a repository for', () => {
  const wish = (version: string, policy: VersionRequest['policy'], more: Partial<VersionRequest> = {}): VersionRequest => ({
    version,
    policy,
    installed: undefined,
    offered: OFFERED,
    ...more,
  });
  const cases: readonly [string, VersionRequest, string][] = [
    ['one that is named is asked for, whatever is installed', wish('1.2.0', 'Manual', { installed: '1.0.0' }), '1.2.0'],
    ['and whatever was approved', wish('1.2.0', 'Manual', { installed: '1.2.0', approved: '1.9.0' }), '1.2.0'],
    ['a version with a v is one version', wish('v1.2.0', 'Manual', { installed: '1.0.0' }), 'v1.2.0'],
    ['a range is asked for when nothing is installed', wish('^1.0', 'Manual'), '^1.0'],
    ['what is installed stays under Manual', wish('^1.0', 'Manual', { installed: '1.1.0' }), '1.1.0'],
    ['until a newer one of the range is approved', wish('^1.0', 'Manual', { installed: '1.1.0', approved: '1.9.0' }), '1.9.0'],
    ['one outside of the range cannot be approved', wish('^1.0', 'Manual', { installed: '1.1.0', approved: '2.0.0' }), '1.1.0'],
    ['an older one cannot be approved', wish('^1.0', 'Manual', { installed: '1.9.0', approved: '1.0.0' }), '1.9.0'],
    ['what has left the range goes under Manual, too', wish('^2.0', 'Manual', { installed: '1.1.0' }), '^2.0'],
    ['the range decides under Automatic', wish('^1.0', 'Automatic', { installed: '1.1.0' }), '^1.0'],
    ['a channel begins with the version that is named', wish('1.0.0', 'Manual', { range: '^1' }), '1.0.0'],
    ['what is installed of a channel stays', wish('1.0.0', 'Manual', { range: '^1', installed: '1.9.0' }), '1.9.0'],
    [
      'a newer one of a channel may be approved',
      wish('1.0.0', 'Manual', { range: '^1', installed: '1.9.0', approved: '1.10.0' }),
      '1.10.0',
    ],
    ['what was approved goes in any case once it is installed', wish('1.0.0', 'Manual', { range: '^1', installed: '1.10.0' }), '1.10.0'],
    ['a channel never falls below the version that is named', wish('1.10.0', 'Manual', { range: '^1', installed: '1.9.0' }), '1.10.0'],
    ['what has left a channel goes back to its beginning', wish('1.0.0', 'Manual', { range: '~1.0', installed: '1.9.0' }), '1.0.0'],
    ['the newest of a channel is installed under Automatic', wish('1.0.0', 'Automatic', { range: '^1', installed: '1.0.0' }), '1.10.0'],
    ['at once when nothing is installed', wish('1.0.0', 'Automatic', { range: '^1' }), '1.10.0'],
    ['the beginning is when a channel has nothing else', wish('4.0.0', 'Automatic', { range: '^4' }), '4.0.0'],
    [
      'a repository that cannot be asked takes nothing away',
      wish('1.0.0', 'Automatic', { range: '^1', installed: '1.9.0', offered: [] }),
      '1.9.0',
    ],
    ['two ranges mean what is in both', wish('^1.0', 'Automatic', { range: '<1.10', installed: '1.0.0' }), '1.9.0'],
    ['two ranges under Manual begin with the newest of both', wish('^1.0', 'Manual', { range: '<1.10' }), '1.9.0'],
    ['prereleases are no part of a range', wish('2.0.0', 'Automatic', { range: '>=2' }), '2.0.0'],
    ['unless the range names one', wish('2.0.0', 'Automatic', { range: '>=3.0.0-0' }), '3.0.0-rc.1'],
    ['a beginning outside of its own range may stay', wish('1.0.0', 'Manual', { range: '^2', installed: '1.0.0' }), '1.0.0'],
    ['and be left by an approval', wish('1.0.0', 'Manual', { range: '^2', installed: '1.0.0', approved: '2.0.0' }), '2.0.0'],
  ];
  for (const [title, given, expected] of cases) it(title, () => assert.equal(requestedVersion(given), expected));

  it('a range that is none is rejected with a sentence', () => {
    checkRange({ version: '1.0.0', range: '^1 || >=2.1 <3' });
    assert.throws(() => checkRange({ version: '1.0.0', range: 'newest' }), {
      code: 'InvalidInput',
      message: /"newest" is no range of versions/,
    });
  });
});

describe('a newer version', () => {
  const cases: readonly [string, Channel, string, string | undefined][] = [
    ['of a range is the newest in it', { version: '^1.0' }, '1.0.0', '1.10.0'],
    ['than the newest of the range does not exist', { version: '^1.0' }, '1.10.0', undefined],
    ['than one exact version is the newest that was released', { version: '1.0.0' }, '1.0.0', '2.0.0'],
    ['of a channel is the newest in it', { version: '1.0.0', range: '^1' }, '1.0.0', '1.10.0'],
    ['than the newest of a channel does not exist', { version: '1.0.0', range: '^1' }, '1.10.0', undefined],
    ['than a candidate that is ahead of all does not exist', { version: '3.0.0-rc.1' }, '3.0.0-rc.1', undefined],
    ['than something that is no version does not exist', { version: '^1.0' }, 'x', undefined],
  ];
  for (const [title, channel, current, expected] of cases) it(title, () => assert.equal(newerVersion(OFFERED, channel, current), expected));

  it('is another major one when its first number is', () => {
    assert.equal(isMajorStep('1.9.0', '2.0.0'), true);
    assert.equal(isMajorStep('1.9.0', '1.10.0'), false);
    assert.equal(isMajorStep('2.0.0', '1.9.0'), false);
  });
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

describe('versions that lack parts, as Helm takes them', () => {
  it('are compared by what they stand for', () => {
    assert.deepEqual(['1.2', 'v1', '1.16-SNAPSHOT', 'v1.2-rc.1', '01.2.3', '1.2+b'].map(comparableVersion), [
      '1.2.0',
      '1.0.0',
      '1.16.0-SNAPSHOT',
      '1.2.0-rc.1',
      '1.2.3',
      '1.2.0+b',
    ]);
    for (const none of ['', 'x', '1.x', '1.2.3.4', '1.2.3beta', '=1.2.3', '1.2.3-01', '1.', '-1'])
      assert.equal(comparableVersion(none), undefined, none);
    assert.equal(newerVersion(['1.2', '1.3', '1.16-SNAPSHOT'], { version: '*' }, '1.2'), '1.3');
    assert.ok(isMajorStep('v1', '2.0'));
  });

  it('are ranges where they are asked for, unless the repository has exactly that version', () => {
    const wish = { version: '1.2', policy: 'Manual', installed: undefined, offered: ['1.2', '1.2.5', '1.3'] } as const;
    assert.equal(requestedVersion(wish), '1.2');
    assert.equal(newerVersion(wish.offered, { version: '1.2' }, '1.2'), '1.3', 'a version that is there is pinned');
    assert.equal(newerVersion(['1.2.1', '1.2.5', '1.3'], { version: '1.2' }, '1.2.1'), '1.2.5');
    assert.equal(requestedVersion({ ...wish, version: '^1', installed: '1.2', approved: '1.3' }), '1.3');
  });
});
