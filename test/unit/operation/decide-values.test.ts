import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { JsonObject, KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import type { ValuesLayer } from '../../../src/domain/values/layers.ts';
import { decideOwnValues } from '../../../src/operation/upgrade/decide-values.ts';
import type { UpgradeChart } from '../../../src/operation/upgrade/upgrade-ports.ts';

const FROM = chart('1.0.0', { logLevel: 'info', adminPassword: '', replicas: 1 });
const TO = chart('2.0.0', { loggingLevel: 'info', superPassword: '', replicas: 1 });

describe('the values of an Operator under another version of its chart', () => {
  it('ask about what has no place any more, and become what is decided', () => {
    const values = { logLevel: 'debug', replicas: 3 };
    const open = decide(values, undefined);
    assert.equal(open.previewed.state, 'Pending');
    assert.deepEqual(
      open.previewed.rows.map(({ path, change, value }) => [path, change, value]),
      [['values.logLevel', 'renamed', 'debug']],
    );
    const decided = decide(values, { 'values.logLevel': 'move:values.loggingLevel' });
    assert.equal(decided.previewed.state, 'Complete');
    assert.deepEqual(decided.own, { loggingLevel: 'debug', replicas: 3 });
    assert.deepEqual(decided.patch, { logLevel: null, loggingLevel: 'debug' });
    assert.equal(decided.previewed.yaml, 'replicas: 3\nloggingLevel: debug\n');
  });

  it('are not written while something is undecided', () => {
    const { previewed, patch } = decide({ logLevel: 'debug' }, {});
    assert.equal(previewed.state, 'Invalid');
    assert.deepEqual(previewed.faults, [{ field: 'values.logLevel', message: 'Choose an option' }]);
    assert.equal(patch, undefined);
  });

  it('are shown without secrets, and written with them', () => {
    const { previewed, patch, shownPatch } = decide({ adminPassword: 's3cret' }, { 'values.adminPassword': 'move:values.superPassword' });
    assert.deepEqual(patch, { adminPassword: null, superPassword: 's3cret' });
    assert.deepEqual(shownPatch, { adminPassword: null, superPassword: '[secret]' });
    assert.doesNotMatch(stringifyJson(previewed), /s3cret/);
  });

  it('cannot become null by a patch, and say so', () => {
    const schema = { properties: { domain: {} }, required: ['domain'] };
    const { previewed } = decide(
      {},
      { 'values.domain': 'set:null' },
      { to: chart('2.0.0', { logLevel: 'info', adminPassword: '', replicas: 1 }, schema) },
    );
    assert.match(previewed.faults[0]?.message ?? '', /cannot become null/);
  });

  it('of other layers are reported with their layer, and of what nobody may read only that it has no place', () => {
    const layer = { origin: 'Secret extra', values: { logLevel: 'not-readable', replicas: 'not-readable' } };
    const to = chart('2.0.0', { replicas: 1, adminPassword: '' }, { properties: { replicas: { type: 'integer' } } });
    const { previewed } = decide({}, undefined, { to, layers: [layer] });
    assert.deepEqual(previewed.rows, []);
    assert.deepEqual(previewed.otherLayers, [
      { path: 'values.logLevel', change: 'removed', message: 'the field is removed', origin: 'Secret extra' },
    ]);
  });

  it('name the source whose file sets them', () => {
    const { previewed } = decide({ logLevel: 'debug' }, undefined, { labels: { 'chandlery.dev/source': 'catalog' } });
    assert.equal(previewed.source, 'catalog');
  });

  it('ask nothing where the chart is the same, or nothing is installed', () => {
    assert.equal(decide({ logLevel: 'debug' }, undefined, { to: FROM }).previewed.state, 'None');
    const operator = operatorOf({});
    const values = { layers: [], hidden: new Set<string>(), secrets: [], missing: [], faults: [] };
    assert.equal(decideOwnValues({ operator, charts: { to: TO, offered: [] }, values, decisions: {} }).previewed.state, 'None');
  });
});

interface More {
  readonly to?: UpgradeChart;
  readonly layers?: readonly ValuesLayer[];
  readonly labels?: Readonly<Record<string, string>>;
}

function decide(
  own: JsonObject,
  decisions: Readonly<Record<string, string>> | undefined,
  { to = TO, layers = [], labels = {} }: More = {},
) {
  const values = {
    layers: [...layers, { origin: 'spec.values', values: own }],
    hidden: new Set<string>(),
    secrets: [],
    missing: [],
    faults: [],
  };
  return decideOwnValues({ operator: operatorOf(labels), charts: { from: FROM, to, offered: [] }, values, decisions });
}

function operatorOf(labels: Readonly<Record<string, string>>): KubeObject {
  return { apiVersion: 'v1', kind: 'Operator', metadata: { name: 'a', labels } };
}

function chart(version: string, values: JsonObject, schema?: JsonObject): UpgradeChart {
  const contents = { metadata: { name: 'a', version }, values, crds: [], ...(schema === undefined ? {} : { schema }) };
  return { digest: `sha256:${version}`, path: '', contents };
}
