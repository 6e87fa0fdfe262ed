import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentenceOfFault } from '../../../src/domain/core/errors.ts';
import { plainFault, typedPatchFaults } from '../../../src/kube/transport/field-faults.ts';

const WORDS: readonly (readonly [string, string])[] = [
  ['Required value', 'is required'],
  ['Required value: name or generateName is required', 'name or generateName is required'],
  ['Invalid value: 0: spec.replicas in body should be greater than or equal to 1', 'should be greater than or equal to 1'],
  [`Invalid value: "a: \\"b\\"": spec.kinds[0].icon in body should match '^https://.+$'`, `should match '^https://.+$'`],
  ['Invalid value: "string": spec.replicas in body must be of type integer: "string"', 'must be of type integer'],
  ['Invalid value: "object": give exactly one of chartURL and chart', 'give exactly one of chartURL and chart'],
  ['Invalid value: give exactly one of chartURL and chart', 'give exactly one of chartURL and chart'],
  ['Unsupported value: "Maybe": supported values: "Block", "Orphan"', '"Maybe" is not one of "Block", "Orphan"'],
  [
    String.raw`Invalid value: "many": spec.quota.pods in body should match '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'`,
    'must be a quantity such as 500m, 2 or 1Gi',
  ],
  ['Too long: may not be more than 63 bytes', 'Too long: may not be more than 63 bytes'],
];

describe('what the api-server says of a field', () => {
  for (const [words, plain] of WORDS) {
    it(`is said plainly: ${plain}`, () => assert.equal(plainFault(words), plain));
  }

  it('is a fault each where a patch does not fit the schema', () => {
    const object = 'failed to create typed patch object (ns/cache; operatorcontroller.kubeplus/v1, Kind=Operator): ';
    const keyless = `${object}.spec.kinds: element 1: associative list with keys has an element that omits all key fields ["kind"] (and doesn't have default values for any key fields)`;
    assert.deepEqual(typedPatchFaults(keyless), [{ field: 'spec.kinds[1]', message: '"spec.kinds[1]" must have "kind"' }]);
    const several = `${object}errors:\n  .spec.kinds[kind="A: B"].presets: duplicate entries for key [name="small"]\n  .spec.tags: duplicate entries for key [="a"]\n  .spec.icon: expected string, got &{5}\n  .spec.x: field not declared in schema\n`;
    assert.deepEqual(typedPatchFaults(several).map(sentenceOfFault), [
      '"spec.kinds[kind="A: B"].presets" has more than one element with name="small"',
      '"spec.tags" has more than one element with "a"',
      '"spec.icon" must be a string',
      'There is no field "spec.x" in this kind',
    ]);
    assert.deepEqual(typedPatchFaults('failed to create typed live object: .spec.x: field not declared in schema'), []);
  });

  it('names the field once', () => {
    assert.equal(sentenceOfFault({ field: 'spec.name', message: 'is required' }), 'spec.name: is required');
    assert.equal(sentenceOfFault({ field: 'spec.nam', message: 'There is no field "spec.nam"' }), 'There is no field "spec.nam"');
    assert.equal(sentenceOfFault({ message: 'no' }), 'no');
  });
});
