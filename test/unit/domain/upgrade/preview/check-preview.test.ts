import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPreview, type PreviewCheckInput } from '../../../../../src/domain/upgrade/preview/check-preview.ts';
import type { PreviewedCrd } from '../../../../../src/domain/upgrade/preview/upgrade-preview.ts';

const NOTHING: PreviewCheckInput = {
  crds: { items: [], safety: 'Strict', missing: [] },
  fields: { rejections: [], checked: 3, missing: [] },
  instances: { namespaces: [], total: 0, missing: [], unavailable: [] },
  values: { items: [], omitted: 0, missing: [] },
  faults: [],
};
const UNSAFE: PreviewedCrd = {
  crd: 'boxes.example.com',
  kind: 'Box',
  change: 'changed',
  findings: [
    { path: 'v1 spec.a', message: 'the field is removed', severity: 'Unsafe' },
    { path: 'v1 status.b', message: 'the field is removed', severity: 'Notice' },
  ],
  faults: [{ instance: 'Box a/b', path: 'spec.size', message: 'too large' }],
  faultCount: 1,
};
const RIGHT = { verb: 'list', group: 'example.com', resource: 'boxes' };
const crds = (safety: 'Strict' | 'Instances' | 'None', more: Partial<PreviewedCrd> = {}): PreviewCheckInput['crds'] => ({
  items: [{ ...UNSAFE, ...more }],
  safety,
  missing: [],
});

describe('the verdict on an upgrade', () => {
  const cases: readonly [string, PreviewCheckInput, string, RegExp][] = [
    ['is safe when nothing speaks against it', NOTHING, 'Safe', /^$/],
    [
      'names a definition that takes something away',
      { ...NOTHING, crds: crds('Strict') },
      'Blocked',
      /boxes\.example\.com is unsafe: it has 1 breaking change, and 1 existing instance would be invalid/,
    ],
    [
      'lets what it takes away go where all that is stored fits',
      { ...NOTHING, crds: crds('Instances', { faults: [], faultCount: 0 }) },
      'Safe',
      /^$/,
    ],
    [
      'names instances that do not fit, and nothing else',
      { ...NOTHING, crds: crds('Instances') },
      'Blocked',
      /boxes\.example\.com is unsafe: 1 existing instance would be invalid$/,
    ],
    ['lets it go where nobody minds', { ...NOTHING, crds: crds('None') }, 'Safe', /^$/],
    [
      'minds the api-server all the same',
      { ...NOTHING, crds: crds('None', { rejection: 'no such type' }) },
      'Blocked',
      /boxes\.example\.com: no such type/,
    ],
    [
      'names an object that must be made anew',
      { ...NOTHING, fields: { ...NOTHING.fields, rejections: [rejection(true)] } },
      'Blocked',
      /Deployment a\/b would have to be deleted and recreated: immutable/,
    ],
    [
      'names an object that is rejected',
      { ...NOTHING, fields: { ...NOTHING.fields, rejections: [rejection(false)] } },
      'Blocked',
      /Deployment a\/b would be rejected/,
    ],
    ['repeats what does not render', { ...NOTHING, faults: ['it does not render'] }, 'Blocked', /it does not render/],
    [
      'is unsure when something could not be looked at',
      { ...NOTHING, crds: { ...NOTHING.crds, missing: [RIGHT] } },
      'Incomplete',
      /you lack the permission to list boxes\.example\.com/,
    ],
  ];
  for (const [title, input, word, sentence] of cases) {
    it(title, () => {
      const verdict = checkPreview(input);
      assert.equal(verdict.kind, word);
      assert.match([...verdict.blockers, ...verdict.unchecked].join('\n'), sentence);
    });
  }

  it('names each missing permission once, and five at most', () => {
    const missing = Array.from({ length: 14 }, (_, index) => ({ ...RIGHT, resource: `r${index % 7}` }));
    const { unchecked } = checkPreview({ ...NOTHING, fields: { ...NOTHING.fields, missing } });
    assert.equal(unchecked.length, 1);
    assert.match(unchecked[0] ?? '', /r4\.example\.com and 2 more$/);
  });
});

function rejection(recreate: boolean): PreviewCheckInput['fields']['rejections'][number] {
  return { object: 'Deployment a/b', field: 'spec.selector', message: 'immutable', recreate, source: 'DryRun' };
}
