import { draftKinds, type DraftKind } from '../../src/domain/catalog/draft-kinds.ts';
import type { KubeObject, ObjectMeta } from '../../src/domain/kubernetes/resource.ts';
import type { OperatorAddress } from '../../src/operation/operator/find-operator.ts';

const creationTimestamp = '2026-11-18T09:30:00Z';
const LONG = 'alertmanagerconfigurationoverridesettings.with-a-rather-long-group-name.observability.monitoring.example.com';

/** A CRD as a draft is made of. */
export function sampleCrd(name: string, kind: string, metadata: Partial<ObjectMeta> = {}): KubeObject {
  const [plural = '', ...group] = name.split('.');
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, ...metadata },
    spec: { group: group.join('.'), scope: 'Namespaced', names: { kind, plural }, versions },
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  };
}

export function sampleOperator(name: string, spec: object = {}, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { namespace: 'chandlery-system', name, ...metadata },
    spec: { chart: { repoURL: 'file://charts', name, version: '1.0.0' }, ...spec },
  };
}

const SAMPLE_DRAFTS = draftKinds({
  definitions: [],
  operators: [sampleOperator('postgres-operator', {}, { labels: { 'chandlery.dev/source': 'catalog' } })],
  sources: [
    {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: 'catalog' },
      status: {
        inventory: [{ file: 'operators/postgres.yaml', kind: 'Operator', namespace: 'chandlery-system', name: 'postgres-operator' }],
      },
    },
  ],
  crds: [
    sampleCrd('backups.postgres-operator.example.com', 'Backup', { creationTimestamp, managedFields: [{ manager: 'postgres-operator' }] }),
    sampleCrd('prometheuses.monitoring.example.com', 'Prometheus', {
      creationTimestamp,
      annotations: { 'meta.helm.sh/release-name': 'prometheus', 'meta.helm.sh/release-namespace': 'monitoring' },
    }),
    sampleCrd(LONG, 'AlertmanagerConfigurationOverrideSetting', { creationTimestamp }),
  ],
});

/** The drafts, or those that probably belong to an Operator. */
export function draftsOf(operator?: OperatorAddress): readonly DraftKind[] {
  return operator === undefined ? SAMPLE_DRAFTS : SAMPLE_DRAFTS.filter((draft) => draft.operator?.name === operator.name);
}
