import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { partExamples } from '../../../support/part-examples.ts';
import { tagsOf, type Tag, views } from '../submit.ts';

const CONTROLS = ['input', 'select', 'textarea'];

for (const [part, examples] of partExamples()) {
  if (part !== 'form' && !part.startsWith('field-')) continue;
  test(`The part ${part} has examples, and in each every control has a label and every reference an end`, () => {
    assert.ok(examples.length > 0);
    for (const { name, model } of examples) checkReferences(tagsOf(views.render(`parts/${part}`, model)), name);
  });
}

test('No template of the form prints anything unescaped', () => {
  for (const part of readdirSync('views/parts').filter((name) => name.startsWith('f'))) {
    assert.doesNotMatch(readFileSync(`views/parts/${part}/template.hbs`, 'utf8'), /\{\{\{|\{\{&/, part);
  }
});

function checkReferences(tags: readonly Tag[], example: string): void {
  const ids = tags.flatMap(({ attributes }) => attributes.get('id') ?? []);
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
    `${example}: ids that are there twice`,
  );
  const labelled = new Set(tags.flatMap(({ tag, attributes }) => (tag === 'label' ? (attributes.get('for') ?? []) : [])));
  for (const { tag, attributes } of tags) {
    const references = ['for', 'aria-describedby', 'aria-labelledby'].flatMap((name) => attributes.get(name)?.split(' ') ?? []);
    for (const id of references) assert.ok(ids.includes(id), `${example}: <${tag}> refers to "${id}", which is not there`);
    const isHidden = attributes.get('type') === 'hidden';
    if (CONTROLS.includes(tag) && !isHidden)
      assert.ok(labelled.has(attributes.get('id') ?? ''), `${example}: <${tag} name="${attributes.get('name')}"> has no label`);
  }
}
