import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type CrdAnnotations, crdAnnotationsOf, type NamePattern } from '../../../../src/domain/kubeplus/crd-annotations.ts';
import { runs } from '../../../support/runs.ts';

const NAMES = ['usage', 'composition', 'label-relationship', 'annotation-relationship', 'specproperty-relationship'] as const;
const read = (annotations: Readonly<Record<string, string>>): CrdAnnotations =>
  crdAnnotationsOf({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'a.example.com', annotations },
  });
const exact: NamePattern = { before: '', after: '', match: 'Exact' };

describe("KubePlus' annotations of a CRD", () => {
  it('are read as KubePlus documents them', () => {
    assert.deepEqual(
      read({
        'resource/usage': 'moodle-operator-usage.usage',
        'resource/composition': 'Deployment, Service, PersistentVolumeClaim',
        'resource/label-relationship': 'on:PersistentVolumeClaim, key:cassandra.datastax.com/datacenter, value:INSTANCE.metadata.name',
        'resource/annotation-relationship': 'on:Pod;Secret, key:meta.helm.sh/release-name, value:web-INSTANCE.metadata.name',
        'resource/specproperty-relationship': 'on:INSTANCE.spec.mySQLServiceName, value:Service.spec.metadata.name',
      }),
      {
        usage: { kind: 'ConfigMap', namespace: 'default', name: 'moodle-operator-usage', key: 'usage' },
        composition: ['Deployment', 'Service', 'PersistentVolumeClaim'],
        relations: [
          { by: 'Label', kinds: ['PersistentVolumeClaim'], key: 'cassandra.datastax.com/datacenter', value: exact },
          { by: 'Annotation', kinds: ['Pod', 'Secret'], key: 'meta.helm.sh/release-name', value: { ...exact, before: 'web-' } },
          { by: 'Field', kinds: ['Service'], path: 'spec.mySQLServiceName' },
        ],
        faults: [],
      } satisfies CrdAnnotations,
    );
  });

  it('are read in their older form, too, unless the present one is there', () => {
    const { usage, composition } = read({
      'platform-as-code/usage': 'ops.mysql-usage.text',
      'platform-as-code/composition': 'Pod',
      'resource/composition': 'StatefulSet',
    });
    assert.deepEqual(usage, { kind: 'ConfigMap', namespace: 'ops', name: 'mysql-usage', key: 'text' });
    assert.deepEqual(composition, ['StatefulSet']);
  });

  it('have a text of their own where the value is no name of a ConfigMap', () => {
    assert.deepEqual(read({ 'resource/usage': 'Set spec.size first.' }).usage, { kind: 'Inline', text: 'Set spec.size first.' });
  });

  it('say what is wrong with a value that cannot be used, and leave the others as they are', () => {
    const { composition, relations, faults } = read({
      'resource/composition': 'Deployment',
      'resource/label-relationship': 'on:Pod, value:INSTANCE.metadata.name',
      'resource/annotation-relationship': 'on:Pod, key:a, value:$(reboot)',
      'resource/specproperty-relationship': 'on:Pod.spec.x, value:Service.metadata.name',
    });
    assert.deepEqual([composition, relations], [['Deployment'], []]);
    assert.deepEqual(
      faults.map(({ annotation, message }) => `${annotation}: ${message}`),
      [
        'resource/label-relationship: key: is missing; expected on, key, value',
        'resource/annotation-relationship: value: "$(reboot)" is not known; expected INSTANCE.metadata.name or contains(INSTANCE.metadata.name)',
        'resource/specproperty-relationship: on: "Pod.spec.x" is not a field of the instance; expected INSTANCE.spec.name',
      ],
    );
  });

  it('never break, whatever they are, and never say more than is allowed', () => {
    const word = fc.constantFrom(
      'on:',
      'key:',
      'value:',
      'Pod',
      ';',
      ',',
      '\n',
      'INSTANCE.metadata.name',
      'contains(',
      ')',
      'a.b/c',
      '.',
      '-',
      ' ',
    );
    const value = fc.oneof(
      fc.array(fc.nat({ max: 0x10ffff }), { maxLength: 300 }).map((codes) => String.fromCodePoint(...codes)),
      fc.array(word, { maxLength: 60 }).map((words) => words.join('')),
      fc.nat({ max: 60_000 }).map((length) => 'a.'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...NAMES.map((name) => `resource/${name}`)), value), (annotations) => {
        const found = read(annotations);
        assert.ok(found.relations.length <= 60 && found.composition.length <= 50 && found.faults.length <= NAMES.length);
        for (const { kinds } of found.relations) assert.ok(kinds.every((kind) => /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)));
        for (const { message } of found.faults) assert.ok(message.length < 400, message);
        if (found.usage?.kind === 'Inline') assert.ok(found.usage.text.length <= 20_000);
      }),
      { numRuns: runs(300) },
    );
  });
});
