import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Choices } from '../../../../src/domain/app/choices.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { resourcesShown } from '../../../../src/form/references/pick-view.ts';
import type { ShownChoices } from '../../../../src/form/view/view-context.ts';
import { tagsOf, views } from '../submit.ts';

const text = { type: 'string' };
const schema = {
  properties: {
    passwordSecretRef: { type: 'object', properties: { name: text, key: text } },
    tlsSecret: text,
    storageClassName: text,
  },
};
const model = buildForm({ schema, root: 'spec', curated: [], mode: 'create' });
const SECRETS: Choices = {
  resource: 'secrets',
  items: [
    { name: 'orders-db', keys: ['password', 'username'] },
    { name: 'users-db', keys: [] },
  ],
  truncated: false,
  served: true,
};
const permission = { verb: 'list', group: 'storage.k8s.io', resource: 'storageclasses' };
const CLASSES: Choices = { resource: 'storageclasses.storage.k8s.io', items: [], truncated: false, served: true, missing: permission };

describe('a field that names another object', () => {
  it('stays a text, and is offered what the environment has', () => {
    const html = page({}, found(SECRETS, CLASSES));
    assert.deepEqual(optionsOf(html, 'v.spec.passwordSecretRef.name'), ['orders-db', 'users-db']);
    assert.match(html, /2 in Team A to choose from, or type any name/);
  });

  it('shares its list with others of the same kind', () => {
    const html = page({}, found(SECRETS));
    assert.deepEqual(optionsOf(html, 'v.spec.tlsSecret'), ['orders-db', 'users-db']);
    assert.equal(html.match(/<datalist/g)?.length, 1);
  });

  it('offers the keys of what was chosen beside it', () => {
    const html = page({ 'v.spec.passwordSecretRef.name': 'orders-db' }, found(SECRETS));
    assert.deepEqual(optionsOf(html, 'v.spec.passwordSecretRef.key'), ['password', 'username']);
    assert.deepEqual(optionsOf(page({ 'v.spec.passwordSecretRef.name': 'other' }, found(SECRETS)), 'v.spec.passwordSecretRef.key'), []);
  });

  it('keeps a text that nothing is called', () => {
    const html = page({ 'v.spec.tlsSecret': 'of-somebody-else' }, found(SECRETS));
    assert.equal(attribute(html, 'v.spec.tlsSecret', 'value'), 'of-somebody-else');
  });

  it('says which permission is missing, and can still be typed', () => {
    const html = page({}, found(SECRETS, CLASSES));
    assert.match(html, /You may not list storageclasses\.storage\.k8s\.io of the cluster\. Type the name\./);
    assert.deepEqual(optionsOf(html, 'v.spec.storageClassName'), []);
  });

  it('says what the cluster does not have, and what is empty', () => {
    assert.match(page({}, found({ ...CLASSES, served: false })), /This cluster has no StorageClass/);
    assert.match(page({}, found({ ...SECRETS, items: [] })), /There is no Secret in Team A/);
  });

  it('asks for an environment first', () => {
    assert.match(page({}, { environment: '', byResource: new Map() }), /Choose an environment and update the choices to pick a Secret/);
  });

  it('narrows very many by what was typed, and offers to look again', () => {
    const items = Array.from({ length: 500 }, (_, index) => ({ name: `s-${index}`, keys: [] }));
    const html = page({ 'v.spec.tlsSecret': 's-49' }, found({ ...SECRETS, items }));
    assert.equal(optionsOf(html, 'v.spec.tlsSecret').length, 11);
    assert.equal(optionsOf(html, 'v.spec.passwordSecretRef.name').length, 200);
    assert.match(html, /value="choices"/);
  });

  it('escapes names that a cluster would not take', () => {
    const html = page({}, found({ ...SECRETS, items: [{ name: '"><script>', keys: [] }] }));
    assert.doesNotMatch(html, /<script>/);
  });

  it('is looked up only when it is on the page', () => {
    const shown = formView(model, { fields: new URLSearchParams(), base: {}, faults: [] });
    assert.deepEqual(resourcesShown(shown), ['secrets', 'storageclasses.storage.k8s.io']);
    assert.deepEqual(resourcesShown(formView(model, { fields: new URLSearchParams({ 'y.spec': '' }), base: {}, faults: [] })), []);
  });
});

function found(...choices: readonly Choices[]): ShownChoices {
  return { environment: 'Team A', byResource: new Map(choices.map((one) => [one.resource, one])) };
}

function page(fields: Readonly<Record<string, string>>, choices: ShownChoices): string {
  return views.render('parts/form', formView(model, { fields: new URLSearchParams(fields), base: {}, faults: [], choices }));
}

function attribute(html: string, name: string, which: string): string | undefined {
  return tagsOf(html)
    .find(({ attributes }) => attributes.get('name') === name)
    ?.attributes.get(which);
}

/** What the list that an input names has to choose from. */
function optionsOf(html: string, name: string): readonly string[] {
  const list = attribute(html, name, 'list');
  const [, inner = ''] = new RegExp(`<datalist id="${list}">(.*?)</datalist>`, 's').exec(html) ?? [];
  return [...inner.matchAll(/<option value="([^"]*)"/g)].map(([, value = '']) => value);
}
