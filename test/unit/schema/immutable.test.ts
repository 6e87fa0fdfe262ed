import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { isObject, textAt } from '../../../src/domain/core/read.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { frozenPaths } from '../../../src/schema/immutable.ts';
import { CRD_FOLDERS } from '../../support/schemas.ts';

const cases: readonly { readonly world: string; readonly rules: readonly string[]; readonly freezes: readonly string[] }[] = [
  { world: 'the whole value', rules: ['self == oldSelf'], freezes: ['.'] },
  { world: 'the sides exchanged', rules: ['oldSelf == self'], freezes: ['.'] },
  { world: 'brackets and spaces', rules: ['  ((self)==(oldSelf)) '], freezes: ['.'] },
  { world: 'a member named by its parent', rules: ['self.size == oldSelf.size'], freezes: ['.size'] },
  { world: 'a member further down', rules: ['oldSelf.storage.class == self.storage.class'], freezes: ['.storage.class'] },
  { world: 'several members in one rule', rules: ['self.a == oldSelf.a && self.b == oldSelf.b && self.c > 0'], freezes: ['.a', '.b'] },
  { world: 'a first value that may still come', rules: ['!has(oldSelf.x) || self.x == oldSelf.x'], freezes: ['.x'] },
  { world: 'a first value, the other way around', rules: ['self.x == oldSelf.x || !has(oldSelf.x)'], freezes: ['.x'] },
  {
    world: 'a first group that may still come',
    rules: ['!has(oldSelf.a) || !has(oldSelf.a.b) || self.a.b == oldSelf.a.b'],
    freezes: ['.a.b'],
  },
  { world: 'a choice by what was there', rules: ['has(oldSelf.x) ? self.x == oldSelf.x : true'], freezes: ['.x'] },
  {
    world: 'presence and value apart, as for releases',
    rules: ['has(self.x) == has(oldSelf.x) && (!has(self.x) || self.x == oldSelf.x)'],
    freezes: ['.x'],
  },
  {
    world: 'presence and value in two rules',
    rules: ['!has(oldSelf.x) || has(self.x)', '!has(self.x) || self.x == oldSelf.x'],
    freezes: ['.x'],
  },
  { world: 'optional members', rules: ['self.?x == oldSelf.?x'], freezes: ['.x'] },
  { world: 'an old value that is optional', rules: ['!oldSelf.hasValue() || self == oldSelf.value()'], freezes: ['.'] },
  { world: 'names in brackets', rules: [`self['a-b'] == oldSelf['a-b']`], freezes: ['.a-b'] },
  {
    world: 'names that CEL cannot say',
    rules: ['self.__namespace__ == oldSelf.__namespace__ && self.a__dash__b == oldSelf.a__dash__b'],
    freezes: ['.namespace', '.a-b'],
  },
  { world: 'a value that may be taken away', rules: ['!has(self.x) || self.x == oldSelf.x'], freezes: [] },
  { world: 'another member that lets it change', rules: ['!has(oldSelf.y) || self.x == oldSelf.x'], freezes: [] },
  { world: 'a way out', rules: ['self == oldSelf || self == "Retain"'], freezes: [] },
  { world: 'an old value that lets it change', rules: [`oldSelf == '' || self == oldSelf`], freezes: [] },
  { world: 'growing', rules: ['self >= oldSelf', 'quantity(self).compareTo(quantity(oldSelf)) >= 0'], freezes: [] },
  { world: 'two different members', rules: ['self.a == oldSelf.b'], freezes: [] },
  { world: 'presence alone', rules: ['has(self.x) == has(oldSelf.x)'], freezes: [] },
  { world: 'size alone', rules: ['size(self) == size(oldSelf)', 'self.all(x, x in oldSelf)'], freezes: [] },
  { world: 'what is no CEL', rules: ['self == oldSelf &&', '('.repeat(400) + 'oldSelf'], freezes: [] },
];

for (const { world, rules, freezes } of cases) {
  test(`Rules that freeze: ${world}`, () => {
    const schema = { 'x-kubernetes-validations': rules.map((rule) => ({ rule })) };
    assert.deepEqual(
      frozenPaths(schema).map((path) => `.${path.join('.')}`),
      freezes,
    );
  });
}

test('Every rule of real kinds that compares with the old value is understood', () => {
  const missed: string[] = [];
  let understood = 0;
  const patterns = [...CRD_FOLDERS.map((folder) => `${folder}/*.yaml`), 'charts/chandlery/crds/operators.*.yaml'];
  for (const file of patterns.flatMap((pattern) => globSync(pattern))) {
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
      for (const schema of schemasIn(document.toJS())) {
        const rules = (schema['x-kubernetes-validations'] as readonly JsonObject[]).map((one) => textAt(one, 'rule') ?? '');
        for (const rule of rules.filter((one) => one.includes('oldSelf'))) {
          const found = frozenPaths({ 'x-kubernetes-validations': [{ rule }] });
          if (found.length === 0) missed.push(rule);
          else understood += 1;
        }
      }
    }
  }
  assert.deepEqual([missed, understood > 10], [[], true]);
});

function schemasIn(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn);
  if (!isObject(value)) return [];
  const own = Array.isArray(value['x-kubernetes-validations']) ? [value as JsonObject] : [];
  return [...own, ...Object.values(value).flatMap(schemasIn)];
}
