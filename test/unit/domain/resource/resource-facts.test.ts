import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anything, assert as assertProperty, constantFrom, dictionary, property } from 'fast-check';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { fieldManagersOf } from '../../../../src/domain/resource/managed-fields.ts';
import { containersOf, factsOf, hasFacts } from '../../../../src/domain/resource/resource-facts.ts';
import { kindKey } from '../../../../src/domain/tree/object-index.ts';
import { relatedResourcesOf } from '../../../../src/domain/tree/related-resources.ts';
import { POD_SPECS } from '../../../../src/domain/tree/relations.ts';
import { nodesOf } from '../../../../src/domain/tree/tree.ts';
import { runs } from '../../../support/runs.ts';

const object = (apiVersion: string, kind: string, rest: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'a', namespace: 'ns', uid: `${kind}/a`, ...metadata },
  ...rest,
});
const facts = (one: KubeObject): string[] => factsOf(one).map(({ label, value }) => `${label}: ${value}`);

describe('the summary of a resource', () => {
  it('says what people look for first', () => {
    const autoscaler = object('autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: {
        maxReplicas: 5,
        scaleTargetRef: { kind: 'Deployment', name: 'shop' },
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 70 } } }],
      },
      status: {
        currentReplicas: 2,
        currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 35 } } }],
      },
    });
    assert.deepEqual(facts(autoscaler), ['Scales: Deployment shop', 'Replicas: 2 now, 1 to 5 allowed', 'Metrics: cpu 35 % of 70 %']);
    const ingress = object('networking.k8s.io/v1', 'Ingress', {
      spec: {
        rules: [
          { host: 'shop.example.com', http: { paths: [{ path: '/cart', backend: { service: { name: 'cart', port: { number: 80 } } } }] } },
        ],
      },
    });
    assert.deepEqual(facts(ingress), ['Rules: shop.example.com/cart → cart:80']);
  });

  it('tells the keys of a Secret by its metadata, and nothing more', () => {
    const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:data': { '.': {}, 'f:password': {} }, 'f:type': {} } }];
    assert.deepEqual(facts(object('v1', 'Secret', {}, { managedFields })), ['Keys: password']);
  });

  it('is made of whatever an object holds, however wrong its shape is', () => {
    const kinds = [
      ['v1', 'Pod'],
      ['apps/v1', 'StatefulSet'],
      ['batch/v1', 'Job'],
      ['v1', 'Service'],
      ['networking.k8s.io/v1', 'Ingress'],
      ['autoscaling/v2', 'HorizontalPodAutoscaler'],
    ] as const;
    const members = dictionary(
      constantFrom('containers', 'ports', 'rules', 'metrics', 'replicas', 'selector', 'template', 'paths', 'spec'),
      anything(),
    );
    assertProperty(
      property(constantFrom(...kinds), members, members, anything(), ([apiVersion, kind], spec, status, managedFields) => {
        const one = object(apiVersion, kind, { spec, status }, { managedFields });
        assert.ok(hasFacts(one));
        for (const { value } of factsOf(one)) assert.ok(value.length <= 1_001);
        containersOf(one, POD_SPECS[kindKey(one)]);
        fieldManagersOf(one);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('the relations of a resource', () => {
  it('end, however long a chain of owners is, and when it goes round in a circle', () => {
    const link = (index: number, owner: number): KubeObject => {
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: `c${owner}`, uid: `u${owner}` }];
      return object('v1', 'ConfigMap', {}, { name: `c${index}`, uid: `u${index}`, ownerReferences });
    };
    const chain = Array.from({ length: 5_000 }, (_, index) => link(index, index - 1));
    const [root, ...others] = chain;
    assert.ok(root !== undefined);
    assert.equal(nodesOf(relatedResourcesOf(root, others).owned).length, 33);
    const circle = relatedResourcesOf(link(0, 1), [link(1, 0)]);
    assert.deepEqual(
      circle.related.map(({ direction, name }) => `${direction} ${name}`),
      ['Owner c1', 'Owned c1'],
    );
  });
});
