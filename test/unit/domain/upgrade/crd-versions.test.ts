import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareCrds } from '../../../../src/domain/upgrade/crd-safety/compare-crds.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { crd, text, withSpec } from '../../../support/sample-crds.ts';

describe('a new CRD', () => {
  const v = (name: string, some: object = {}) => ({
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: withSpec(text) },
    ...some,
  });
  const cases: readonly { title: string; live: KubeObject; candidate: KubeObject; finds: readonly string[] }[] = [
    {
      title: 'without a version that objects are stored in',
      live: crd({ versions: [v('v1'), v('v2', { storage: true })], stored: ['v1', 'v2'] }),
      candidate: crd({ versions: [v('v2', { storage: true })] }),
      finds: [
        'v1: the version is removed, and objects are stored in it (status.storedVersions); make v2 the storage version, rewrite every object ' +
          '(kubectl get as.v2.example.com -A -o json | kubectl replace -f -), then remove v1 from status.storedVersions',
      ],
    },
    {
      title: 'without the only version that objects are stored in',
      live: crd({ versions: [v('v1', { storage: true })], stored: ['v1'] }),
      candidate: crd({ versions: [v('v2', { storage: true })] }),
      finds: [
        'v1: the version is removed, and objects are stored in it (status.storedVersions); first upgrade to a chart that serves both versions',
      ],
    },
    {
      title: 'that drops what its schema does not name now',
      live: crd({ spec: { preserveUnknownFields: true } }),
      candidate: crd({}),
      finds: ['preserveUnknownFields: fields that the schemas do not name are dropped now'],
    },
    {
      title: 'whose webhook for conversion is gone',
      live: crd({
        versions: [v('v1'), v('v2', { storage: true })],
        spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: {} } } },
      }),
      candidate: crd({ versions: [v('v1'), v('v2', { storage: true })] }),
      finds: ['conversion: the conversion webhook is removed, so fields of other versions are dropped'],
    },
    {
      title: 'whose webhook for conversion is gone with all versions but the one that everything is stored in',
      live: crd({ stored: ['v1'], spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: {} } } } }),
      candidate: crd({}),
      finds: [],
    },
    {
      title: 'whose webhook for conversion moves',
      live: crd({ spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' } } } } }),
      candidate: crd({ spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://b' } } } } }),
      finds: [],
    },
    {
      title: 'without the subresource status',
      live: crd({ versions: [v('v1', { storage: true, subresources: { status: {} } })] }),
      candidate: crd({ versions: [v('v1', { storage: true })] }),
      finds: ['v1 subresources: the subresource status is removed, and clients may use it'],
    },
    {
      title: 'without the subresource scale',
      live: crd({ versions: [v('v1', { storage: true, subresources: { scale: {} } })] }),
      candidate: crd({ versions: [v('v1', { storage: true, subresources: {} })] }),
      finds: ['v1 subresources: the subresource scale is removed, and clients may use it'],
    },
    {
      title: 'with a subresource status of late',
      live: crd({}),
      candidate: crd({ versions: [v('v1', { storage: true, subresources: { status: {} } })] }),
      finds: [],
    },
    {
      title: 'without a served version',
      live: crd({ versions: [v('v1'), v('v2', { storage: true })], stored: ['v2'] }),
      candidate: crd({ versions: [v('v2', { storage: true })] }),
      finds: ['v1: the version is removed, and clients may use it'],
    },
    {
      title: 'without a version that was neither served nor stored',
      live: crd({ versions: [v('v1', { served: false }), v('v2', { storage: true })], stored: ['v2'] }),
      candidate: crd({ versions: [v('v2', { storage: true })] }),
      finds: [],
    },
    {
      title: 'that serves a version no more',
      live: crd({ versions: [v('v1', { storage: true })] }),
      candidate: crd({ versions: [v('v1', { storage: true, served: false })] }),
      finds: ['v1: the version is not served any more, and clients may use it'],
    },
    { title: 'with one more version', live: crd({}), candidate: crd({ versions: [v('v1', { storage: true }), v('v2')] }), finds: [] },
    {
      title: 'of another scope',
      live: crd({}),
      candidate: crd({ spec: { scope: 'Cluster' } }),
      finds: ['scope: it changes from Namespaced to Cluster'],
    },
    {
      title: 'of another kind and plural',
      live: crd({}),
      candidate: crd({ spec: { names: { kind: 'B', plural: 'bs' } } }),
      finds: ['names.kind: it changes from A to B', 'names.plural: it changes from as to bs'],
    },
    {
      title: 'without a short name',
      live: crd({ spec: { names: { kind: 'A', plural: 'as', shortNames: ['x'] } } }),
      candidate: crd({}),
      finds: [],
    },
  ];
  for (const { title, live, candidate, finds } of cases) {
    it(`${title} is ${finds.length === 0 ? 'safe' : 'unsafe'}`, () => {
      const unsafe = compareCrds(live, candidate).filter(({ severity }) => severity !== 'Notice');
      assert.deepEqual(
        unsafe.map(({ path, message }) => `${path}: ${message}`),
        finds,
      );
    });
  }
});
