import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Choices } from '../../../../src/domain/app/choices.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { applyPicks } from '../../../../src/form/references/apply-picks.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { resourcesShown } from '../../../../src/form/references/pick-view.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { views } from '../submit.ts';

const text = { type: 'string' };
const issuerRef = { type: 'object', required: ['name'], properties: { name: text, kind: text, group: text } };
const rows = { type: 'array', items: { type: 'object', properties: { name: text, kind: { enum: ['ConfigMap', 'Secret'] } } } };
const model = formOf({ issuerRef, rows });

describe('a kind and a name that are chosen at once', () => {
  it('are in the fields after the next round trip, and the list is empty again', () => {
    const sent = new URLSearchParams({
      ...Object.fromEntries(valuesToFields(model, {})),
      'q.spec.issuerRef.name': 'ClusterIssuer/letsencrypt',
    });
    const fields = applyPicks(model, sent);
    assert.deepEqual(formToValues(model, fields, {}).values, {
      issuerRef: { name: 'letsencrypt', kind: 'ClusterIssuer', group: 'cert-manager.io' },
    });
    assert.equal(fields.has('q.spec.issuerRef.name'), false);
  });

  it('replace what was there, in rows as well', () => {
    const values = {
      rows: [
        { name: 'a', kind: 'Secret' },
        { name: 'b', kind: 'Secret' },
      ],
    };
    const sent = valuesToFields(model, values);
    sent.set('q.spec.rows[1].name', 'ConfigMap/settings');
    assert.deepEqual(formToValues(model, applyPicks(model, sent), {}).values, {
      rows: [
        { name: 'a', kind: 'Secret' },
        { name: 'settings', kind: 'ConfigMap' },
      ],
    });
  });

  const nothing: readonly (readonly [string, string, string])[] = [
    ['nothing was chosen', 'q.spec.issuerRef.name', ''],
    ['the kind is none that is offered', 'q.spec.issuerRef.name', 'Secret/a'],
    ['there is no name', 'q.spec.issuerRef.name', 'Issuer/'],
    ['the field has no kind', 'q.spec.issuerRef.kind', 'Issuer/a'],
    ['there is no such field', 'q.spec.gone.name', 'Issuer/a'],
    ['the path cannot be read', 'q.[[', 'Issuer/a'],
  ];
  for (const [why, name, value] of nothing) {
    it(`change nothing where ${why}`, () => {
      const values = { issuerRef: { name: 'mine', kind: 'Issuer' } };
      const sent = valuesToFields(model, values);
      sent.set(name, value);
      assert.deepEqual(formToValues(model, applyPicks(model, sent), {}).values, values);
    });
  }

  it('leave a name with a slash in it as it is', () => {
    const values = { issuerRef: { name: 'ClusterIssuer/odd', kind: 'Issuer' } };
    assert.deepEqual(formToValues(model, applyPicks(model, valuesToFields(model, values)), {}).values, values);
  });

  it('leave a group that is the default to be the default', () => {
    const own = formOf({
      issuerRef: { ...issuerRef, properties: { ...issuerRef.properties, group: { ...text, default: 'cert-manager.io' } } },
    });
    const fields = applyPicks(own, new URLSearchParams({ 'q.spec.issuerRef.name': 'Issuer/a' }));
    assert.deepEqual(formToValues(own, fields, {}).values, { issuerRef: { name: 'a', kind: 'Issuer' } });
  });

  it('are not offered where the kind cannot change any more', () => {
    const kind = { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
    const own = buildForm({ ...formInput({ issuerRef: { ...issuerRef, properties: { name: text, kind } } }), mode: 'edit' });
    const base = { issuerRef: { name: 'a', kind: 'Issuer' } };
    const sent = valuesToFields(own, base);
    sent.set('q.spec.issuerRef.name', 'ClusterIssuer/b');
    assert.deepEqual(formToValues(own, applyPicks(own, sent), base).values, base);
    assert.doesNotMatch(pageOf(own, base), /optgroup/);
  });
});

describe('the list of kinds and names', () => {
  it('is grouped by kind, and read for both', () => {
    const html = pageOf(model, {});
    assert.match(html, /<optgroup label="Issuer"><option value="Issuer\/ca">ca<\/option><\/optgroup>/);
    assert.match(html, /<optgroup label="ClusterIssuer"><option value="ClusterIssuer\/letsencrypt">letsencrypt<\/option><\/optgroup>/);
    assert.match(html, /2 to choose from; choosing one fills in its kind as well/);
    const shown = formView(model, { fields: new URLSearchParams(), base: {}, faults: [] });
    assert.deepEqual(resourcesShown(shown), ['issuers.cert-manager.io', 'clusterissuers.cert-manager.io']);
  });

  it('names the permission that is missing for one of the kinds, and offers the other', () => {
    const missing = { verb: 'list', group: 'cert-manager.io', resource: 'clusterissuers' };
    const html = pageOf(model, {}, { ...CLUSTER_ISSUERS, items: [], missing });
    assert.match(html, /You may not list clusterissuers\.cert-manager\.io of the cluster\. 1 to choose from/);
    assert.doesNotMatch(html, /optgroup label="ClusterIssuer"/);
  });
});

const ISSUERS: Choices = { resource: 'issuers.cert-manager.io', items: [{ name: 'ca', keys: [] }], truncated: false, served: true };
const CLUSTER_ISSUERS: Choices = { ...ISSUERS, resource: 'clusterissuers.cert-manager.io', items: [{ name: 'letsencrypt', keys: [] }] };

function formInput(properties: JsonObject) {
  return { schema: { type: 'object', properties }, root: 'spec', curated: [], mode: 'create' as const };
}

function formOf(properties: JsonObject) {
  return buildForm(formInput(properties));
}

function pageOf(own: typeof model, base: JsonObject, wide: Choices = CLUSTER_ISSUERS): string {
  const byResource = new Map([ISSUERS, wide].map((one) => [one.resource, one]));
  const view = formView(own, { fields: valuesToFields(own, base), base, faults: [], choices: { environment: 'Team A', byResource } });
  return views.render('parts/form', view);
}
