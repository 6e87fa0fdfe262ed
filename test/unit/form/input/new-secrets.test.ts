import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { applyFormOp } from '../../../../src/form/input/apply-form-op.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { newSecretsOf, splitTyped } from '../../../../src/form/input/new-secrets.ts';
import { views } from '../submit.ts';

const text = { type: 'string' };
const ref = { type: 'object', properties: { name: text, key: text } };
const schema = {
  properties: {
    adminPassword: { type: 'string', pattern: '^[0-9]{10}$', minLength: 10, maxLength: 10 },
    oddPassword: { type: 'string', pattern: '^never$' },
    passwordSecretRef: ref,
    apiTokenRef: { ...ref, description: 'The Secret with the token' },
    users: { type: 'array', items: { type: 'object', properties: { passwordRef: { ...ref, description: 'A Secret' } } } },
    tlsSecretName: text,
  },
};
const model = buildForm({ schema, root: 'spec', curated: [], mode: 'create' });
const P = 'spec.passwordSecretRef.name';
const press = (op: string, fields: Readonly<Record<string, string>> = { name: 'orders' }) =>
  applyFormOp(model, new URLSearchParams(fields), { op, base: {} });
const wanted = (fields: URLSearchParams, typed = new Map<string, string>(), writing = true) =>
  newSecretsOf(model, fields, { typed, writing }).map(({ value, ...rest }) => ({
    ...rest,
    ...(value === undefined ? {} : { typed: value.reveal() }),
  }));

describe('a Secret that a form asks for', () => {
  it('is called after the instance and the field, and the form refers to it', () => {
    const { fields } = press(`secret:${P}`);
    assert.deepEqual(wanted(fields), [{ name: 'orders-password', key: 'password', field: P }]);
    assert.deepEqual(formToValues(model, fields, {}).values, { passwordSecretRef: { name: 'orders-password', key: 'password' } });
    assert.equal(press('secret:spec.apiTokenRef.name').fields.get('v.spec.apiTokenRef.key'), 'token');
  });

  it('keeps the names that were typed', () => {
    const { fields } = press(`secret:${P}`, { [`v.${P}`]: 'mine', 'v.spec.passwordSecretRef.key': 'pw' });
    assert.deepEqual(wanted(fields), [{ name: 'mine', key: 'pw', field: P }]);
  });

  it('is taken back with its names', () => {
    const { fields } = applyFormOp(model, press(`secret:${P}`).fields, { op: `existing:${P}`, base: {} });
    assert.deepEqual(wanted(fields), []);
    assert.deepEqual(formToValues(model, fields, {}).values, {});
  });

  it('moves with its row', () => {
    const row = press('secret:spec.users[1].passwordRef.name', { 'n.spec.users': '2', name: 'orders' }).fields;
    const moved = applyFormOp(model, row, { op: 'up:spec.users:1', base: {} }).fields;
    assert.deepEqual(
      wanted(moved).map(({ field }) => field),
      ['spec.users[0].passwordRef.name'],
    );
  });

  it('is not offered where nothing says which key is meant, nor when an instance is changed', () => {
    assert.deepEqual(wanted(press('secret:spec.tlsSecretName').fields), []);
    const edit = buildForm({ schema, root: 'spec', curated: [], mode: 'edit' });
    assert.deepEqual([...applyFormOp(edit, new URLSearchParams(), { op: `secret:${P}`, base: {} }).fields], []);
  });

  it('is not asked for by a part that is written as YAML', () => {
    const { fields } = press(`secret:${P}`);
    fields.set('y.spec.passwordSecretRef', 'name: other');
    assert.deepEqual(wanted(fields), []);
  });

  it('has a typed value in no field, and wants it when it is written', () => {
    const sent = press(`secret:${P}`).fields;
    sent.set(`w.${P}`, 'swordfish');
    const { fields, typed } = splitTyped(sent);
    assert.doesNotMatch(String(fields), /swordfish/);
    assert.deepEqual(wanted(fields, new Map(typed)), [{ name: 'orders-password', key: 'password', field: P, typed: 'swordfish' }]);
    assert.equal(wanted(fields)[0]?.typed, '');
    assert.notEqual(wanted(fields, new Map(), false)[0]?.typed, '');
    const html = views.render('parts/form', formView(model, { fields: sent, base: {}, faults: [] }));
    assert.doesNotMatch(html, /swordfish/);
    assert.match(html, /name="w\.spec\.passwordSecretRef\.name" value=""/);
  });
});

describe('a secret in the values', () => {
  it('is made up within the rules of its field, and shown once', () => {
    const { fields } = press('generate:spec.adminPassword');
    const password = fields.get('v.spec.adminPassword') ?? '';
    assert.match(password, /^[0-9]{10}$/);
    const shown = views.render('parts/form', formView(model, { fields, base: {}, faults: [] }));
    assert.match(shown, new RegExp(`<code>${password}</code>`));
    fields.delete('_generated');
    assert.doesNotMatch(views.render('parts/form', formView(model, { fields, base: {}, faults: [] })), /<code>/);
    assert.doesNotMatch(shown, /name="_generated"/);
  });

  it('is left to the person where no rule of ours can keep theirs', () => {
    const { fields, faults } = press('generate:spec.oddPassword', {});
    assert.equal(fields.get('v.spec.oddPassword'), null);
    assert.equal(faults[0]?.field, 'spec.oddPassword');
  });

  it('is not made up for a field that is none', () => {
    assert.deepEqual([...press('generate:spec.tlsSecretName', {}).fields], []);
  });
});
