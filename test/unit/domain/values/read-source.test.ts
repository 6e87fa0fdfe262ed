import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { ValuesFrom } from '../../../../src/domain/operator/kind/chart-fields.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { readValuesSource } from '../../../../src/domain/values/read-source.ts';

const SHOUT = 'hunter22';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const from = (more: Partial<ValuesFrom> = {}): ValuesFrom => ({ kind: 'Secret', name: 's', key: 'values.yaml', optional: false, ...more });
const object = (content: object): KubeObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, ...content });
const secret = (text: string): KubeObject => object({ data: { 'values.yaml': base64(text) } });

describe('a source of values', () => {
  const cases: readonly [string, KubeObject | undefined, ValuesFrom, object | RegExp][] = [
    ['is a YAML map', secret('a: {b: 1}'), from(), { a: { b: 1 } }],
    ['may be empty', secret(''), from(), {}],
    ['is a text where it has a place', secret('1: [x'), from({ targetPath: 'a.b' }), { a: { b: '1: [x' } }],
    ['of a ConfigMap is not in base64', object({ data: { k: 'a: 1' } }), from({ kind: 'ConfigMap', key: 'k' }), { a: 1 }],
    ['of a ConfigMap may be binary', object({ binaryData: { k: base64('a: 1') } }), from({ kind: 'ConfigMap', key: 'k' }), { a: 1 }],
    ['that is not there says so', undefined, from(), /^it does not exist$/],
    ['without the key says so', object({ data: {} }), from(), /^it has no key "values\.yaml"$/],
    ['that is no YAML names the line alone', secret(`a: 1\nb: [${SHOUT}`), from(), /is not YAML \(line \d\); correct it/],
    ['that is no map is not quoted', secret(SHOUT), from(), /is not a map of values; set a targetPath/],
  ];
  for (const [title, given, wanted, expected] of cases) {
    it(title, () => {
      const reading = readValuesSource(given, wanted);
      if (!(expected instanceof RegExp)) {
        assert.deepEqual(reading.kind === 'Read' ? reading.values : reading, expected);
        return;
      }
      assert.notEqual(reading.kind, 'Read');
      assert.match(reading.kind === 'Read' ? '' : reading.why, expected);
      assert.equal(stringifyJson(reading).includes(SHOUT), false);
    });
  }
});
