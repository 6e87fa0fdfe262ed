import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { isObject, textAt } from '../../../../src/domain/core/read.ts';
import { specOf } from '../../../../src/domain/kind/kind.ts';
import { OPERATOR_KIND } from '../../../../src/domain/operator/kind/operator-kind.ts';

describe('the reference to a Secret', () => {
  const references = globSync('charts/chandlery/crds/*.yaml').flatMap((file) => secretRefs(parse(readFileSync(file, 'utf8')), file));

  it('asks for the name of an object in all CRDs', () => {
    assert.ok(references.length > 10);
    const wrong = references.filter(({ schema }) => {
      const pattern = new RegExp(textAt(schema, 'properties', 'name', 'pattern') ?? '$^');
      const names = ['charts', 'charts.v2-b', 'Charts', 'a_b', '../charts', 'a..b', '-a', 'a b', ''];
      return names.filter((name) => pattern.test(name)).join(' ') !== 'charts charts.v2-b';
    });
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });

  it('is read from an object of an earlier version as it is', () => {
    const chart = { repoURL: 'https://a.example.com', name: 'x', version: '1.0.0', secretRef: { name: 'Old_Name' } };
    const old = { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { name: 'x' }, spec: { name: 'x', chart } };
    assert.equal(specOf(OPERATOR_KIND, old).chart?.secretRef?.name, 'Old_Name');
  });
});

interface SecretRef {
  readonly path: string;
  readonly schema: unknown;
}

/** The schemas of properties with the name. */
function secretRefs(schema: unknown, path: string): readonly SecretRef[] {
  const members = Array.isArray(schema) ? [...(schema as unknown[]).entries()] : isObject(schema) ? Object.entries(schema) : [];
  return members.flatMap(([key, value]) => {
    const place = `${path}.${key}`;
    return key === 'secretRef' && isObject(value) ? [{ path: place, schema: value }] : secretRefs(value, place);
  });
}
