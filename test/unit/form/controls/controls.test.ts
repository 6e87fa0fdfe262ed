import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { Control, Example } from '../../../../src/form/controls/control.ts';
import { CONTROLS, controlOf } from '../../../../src/form/controls/controls.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { type FormModel, isSecret } from '../../../../src/form/model/form-node.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { views } from '../submit.ts';

for (const control of CONTROLS as readonly Control[]) {
  describe(`the control ${control.kind}`, () => {
    it('has examples, and a name of its own', () => {
      assert.ok(control.examples.length > 0);
      assert.equal(CONTROLS.filter(({ kind }) => kind === control.kind).length, 1);
    });

    for (const example of control.examples) {
      it(`is that of ${example.name}: ${stringifyJson(example.schema).slice(0, 80)}`, () => {
        const node = nodeOf(formOf(example));
        assert.equal(node.kind, control.kind);
        assert.equal(controlOf(node), control);
        assert.notEqual(control.takes(node), '');
      });

      it(`reads ${JSON.stringify(example.text)}, and writes it again`, () => {
        const model = formOf(example);
        const { values, faults } = submit(model, example);
        assert.deepEqual([values, faults], [{ [example.name]: example.value }, []]);
        assert.equal(valuesToFields(model, values).get(`v.spec.${example.name}`), example.text);
      });

      it(`rejects ${JSON.stringify(example.wrong.text)} with a sentence`, () => {
        const { faults } = submit(formOf(example), { ...example, text: example.wrong.text });
        assert.deepEqual(
          faults.map(({ field, message }) => [field, message]),
          [[`spec.${example.name}`, example.wrong.says]],
        );
      });

      it(`shows ${JSON.stringify(example.text)} by its part, unless it is a secret`, () => {
        const model = formOf(example);
        assert.ok(existsSync(`views/parts/field-${control.view(nodeOf(model)).part}/template.hbs`));
        const fields = new URLSearchParams({ [`v.spec.${example.name}`]: example.text });
        const html = views.render('parts/form', formView(model, { fields, base: {}, faults: [] }));
        assert.ok(html.includes(`name="v.spec.${example.name}"`));
        const isShown = !isSecret(nodeOf(model));
        for (const line of example.text.split('\n')) assert.equal(html.includes(line.replaceAll('"', '&quot;')), isShown, line);
      });
    }
  });
}

function submit(model: FormModel, { name, text }: Pick<Example, 'name' | 'text'>): ReturnType<typeof formToValues> {
  return formToValues(model, new URLSearchParams({ [`v.spec.${name}`]: text }), {});
}

function formOf({ name, schema }: Example): FormModel {
  return buildForm({ schema: { properties: { [name]: schema } }, root: 'spec', curated: [], mode: 'create' });
}

function nodeOf({ root }: FormModel) {
  const node = root.kind === 'group' ? root.children[0] : undefined;
  return node ?? assert.fail('no field');
}
