import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { KubeObject } from '../../../../../src/domain/kubernetes/resource.ts';
import { observeCrds } from '../../../../../src/reconcile/operator/facts/observe-crds.ts';
import type { OperatorPorts } from '../../../../../src/reconcile/operator/ports.ts';

const LABEL = 'ops.cache';
const crd = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name, uid: name, resourceVersion, labels: { 'chandlery.dev/operator': LABEL } },
  spec: { group: 'a.example', names: { kind: 'K', plural: name }, versions: [] },
});

it('reads only those CRDs again that the watch has in another version', async () => {
  const live = [crd('kept', '1'), crd('moved', '2'), crd('new', '1')];
  const watched = [crd('kept', '1'), crd('moved', '1')];
  const read: string[] = [];
  const cluster: Partial<OperatorPorts['cluster']> = {
    listMetadata: async () => ({ items: live.map(({ spec: _spec, ...metadata }) => metadata), resourceVersion: '9' }),
    get: async ({ name }) => {
      read.push(name);
      return live.find(({ metadata }) => metadata.name === name) ?? assert.fail(name);
    },
  };
  const ports: Pick<OperatorPorts, 'cluster' | 'watchedCrd'> = {
    cluster: cluster as OperatorPorts['cluster'],
    watchedCrd: (version) =>
      watched.find(({ metadata }) => metadata.name === version.name && metadata.resourceVersion === version.resourceVersion),
  };
  const query = { label: LABEL, signal: AbortSignal.timeout(1_000) };
  const facts = await observeCrds(ports, { release: 'cache', namespace: 'ops' }, query);
  assert.deepEqual(read.sort(), ['moved', 'new']);
  assert.deepEqual(
    facts.map(({ name, object }) => `${name} ${object.metadata.resourceVersion}`),
    ['kept 1', 'moved 2', 'new 1'],
  );
  assert.equal(facts[0]?.object, watched[0]);
});
