import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseNotesOf } from '../../../../src/domain/chart/release-notes.ts';

const cases: readonly (readonly [title: string, annotations: unknown, expected: ReturnType<typeof releaseNotesOf>])[] = [
  ['no annotations say nothing', undefined, undefined],
  ['neither do those of others', { category: 'Database' }, undefined],
  [
    'changes are a list of maps',
    { 'artifacthub.io/changes': '- kind: fixed\n  description: A leak\n  links: []\n- kind: odd\n  description: Another\n' },
    notes([{ kind: 'fixed', description: 'A leak' }, { description: 'Another' }]),
  ],
  ['or a list of sentences', { 'artifacthub.io/changes': '- One\n- Two' }, notes([{ description: 'One' }, { description: 'Two' }])],
  [
    'security updates and pre-releases are said by a text',
    { 'artifacthub.io/containsSecurityUpdates': 'true', 'artifacthub.io/prerelease': 'true' },
    { changes: [], containsSecurityUpdates: true, prerelease: true },
  ],
  ['what is no YAML, or no list, is left out', { 'artifacthub.io/changes': '- [' }, undefined],
  ['so is what is no text', { 'artifacthub.io/changes': [{ description: 'x' }] }, undefined],
  [
    'no more than 300 characters of a change are kept',
    { 'artifacthub.io/changes': `- ${'x'.repeat(400)}` },
    notes([{ description: 'x'.repeat(300) }]),
  ],
];

for (const [title, annotations, expected] of cases) {
  test(`Of release notes, ${title}`, () => assert.deepEqual(releaseNotesOf(annotations), expected));
}

test('Of release notes, no more than 50 changes are kept', () => {
  const changes = Array.from({ length: 60 }, (_, index) => `- ${index}th`).join('\n');
  assert.equal(releaseNotesOf({ 'artifacthub.io/changes': changes })?.changes.length, 50);
});

function notes(changes: NonNullable<ReturnType<typeof releaseNotesOf>>['changes']): ReturnType<typeof releaseNotesOf> {
  return { changes, containsSecurityUpdates: false, prerelease: false };
}
