import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changelogOf } from '../../../../src/domain/chart/changelog.ts';

const cases: readonly (readonly [title: string, annotations: unknown, expected: ReturnType<typeof changelogOf>])[] = [
  ['no annotations say nothing', undefined, undefined],
  ['neither do those of others', { category: 'Database' }, undefined],
  [
    'changes are a list of maps',
    { 'artifacthub.io/changes': '- kind: fixed\n  description: A leak\n  links: []\n- kind: odd\n  description: Another\n' },
    changelog([{ kind: 'fixed', description: 'A leak' }, { description: 'Another' }]),
  ],
  ['or a list of sentences', { 'artifacthub.io/changes': '- One\n- Two' }, changelog([{ description: 'One' }, { description: 'Two' }])],
  [
    'security updates and pre-releases are said by a text',
    { 'artifacthub.io/containsSecurityUpdates': 'true', 'artifacthub.io/prerelease': 'true' },
    { changes: [], links: [], images: [], containsSecurityUpdates: true, prerelease: true },
  ],
  [
    'links and images are lists of maps, and an address that is no page is left out',
    {
      'artifacthub.io/links':
        '- {name: Notes, url: https://example.com/notes}\n- {url: https://example.com}\n- {name: x, url: "javascript:alert(1)"}\n',
      'artifacthub.io/images': '- {name: web, image: registry.example.com/web:1}\n- {name: none}\n',
    },
    {
      changes: [],
      links: [
        { name: 'Notes', url: 'https://example.com/notes' },
        { name: 'https://example.com/', url: 'https://example.com/' },
      ],
      images: ['registry.example.com/web:1'],
      containsSecurityUpdates: false,
      prerelease: false,
    },
  ],
  ['what is no YAML, or no list, is left out', { 'artifacthub.io/changes': '- [' }, undefined],
  ['so is what is no text', { 'artifacthub.io/changes': [{ description: 'x' }] }, undefined],
  [
    'no more than 300 characters of a change are kept',
    { 'artifacthub.io/changes': `- ${'x'.repeat(400)}` },
    changelog([{ description: 'x'.repeat(300) }]),
  ],
];

for (const [title, annotations, expected] of cases) {
  test(`Of a changelog, ${title}`, () => assert.deepEqual(changelogOf(annotations), expected));
}

test('Of a changelog, no more than 50 changes are kept', () => {
  const changes = Array.from({ length: 60 }, (_, index) => `- ${index}th`).join('\n');
  assert.equal(changelogOf({ 'artifacthub.io/changes': changes })?.changes.length, 50);
});

function changelog(changes: NonNullable<ReturnType<typeof changelogOf>>['changes']): ReturnType<typeof changelogOf> {
  return { changes, links: [], images: [], containsSecurityUpdates: false, prerelease: false };
}
