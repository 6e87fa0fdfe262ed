import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Arbitrary, array, assert as assertProperty, constantFrom, property, record, string, tuple } from 'fast-check';
import { dedicatedNamespaceName, isDedicatedTo } from '../../../../src/domain/app-instance/instance.ts';
import { isDnsLabel } from '../../../../src/domain/kubernetes/names.ts';
import { runs } from '../../../support/runs.ts';

const LETTERS = ['a', 'b', 'z', '0', '1', '9'];
const label = (longest: number): Arbitrary<string> =>
  tuple(constantFrom(...LETTERS), string({ unit: constantFrom(...LETTERS, '-'), maxLength: longest - 2 }), constantFrom(...LETTERS)).map(
    (parts) => parts.join(''),
  );
const instance = record({
  resource: label(63),
  namespace: label(63),
  name: array(label(60), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.')),
});
type Instance = { readonly resource: string; readonly namespace: string; readonly name: string };
const nameOf = (one: Instance): string => dedicatedNamespaceName(one, one);

describe('the namespace that is dedicated to an instance', () => {
  it('is always a name that Kubernetes takes, and found again by it', () => {
    assertProperty(
      property(instance, (one) => {
        assert.ok(isDnsLabel(nameOf(one)), nameOf(one));
        assert.ok(isDedicatedTo(nameOf(one), one, one));
        assert.ok(!isDedicatedTo(one.namespace, one, one), 'it is never that of the instance itself');
      }),
      { numRuns: runs(100) },
    );
  });

  it('is that of no other instance, wherever its kind, namespace and name begin and end', () => {
    assertProperty(
      property(instance, instance, ({ namespace, name, resource }, other) => {
        const moved = { resource, namespace: `${namespace}-${name.slice(0, 1)}`, name: name.slice(1) };
        const alike = [other, { ...other, namespace, name }, { resource, namespace, name: `${name}-0` }, moved];
        const own = nameOf({ resource, namespace, name });
        for (const one of alike.filter((each) => each.resource !== resource || each.namespace !== namespace || each.name !== name)) {
          assert.notEqual(nameOf(one), own);
          assert.ok(!isDedicatedTo(own, one, one));
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('begins with what a person knows', () => {
    assert.match(nameOf({ resource: 'webapps', namespace: 'team-a', name: 'shop' }), /^team-a-shop-[0-9a-f]{16}$/);
  });
});
