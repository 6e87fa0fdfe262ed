import { CLUSTER_ROLE, CRD, ENVIRONMENT, NAMESPACE, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import { operatorLabelValue } from '../../src/domain/operator/operator-spec.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { rolesOf } from '../../src/reconcile/operator/acts/app-roles.ts';
import { eventually } from './eventually.ts';

export interface VatsInput {
  /** Of the environments; the Operator is in the first one. */
  readonly namespaces: readonly string[];
  readonly group: string;
  /** The developer, and the viewer. */
  readonly members: readonly Actor[];
}

/** The kind Vat, which an Operator has brought, its roles, and environments with a developer and a viewer. */
export async function installVats(cluster: Cluster, { namespaces, group, members: people }: VatsInput): Promise<void> {
  const [home = ''] = namespaces;
  const label = operatorLabelValue(home, 'vat');
  const members = people.map(({ groups }, index) => ({ name: groups[0], role: index === 0 ? 'developer' : 'viewer' }));
  for (const name of namespaces) {
    await cluster.create(ENVIRONMENT, {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'Environment',
      metadata: { name },
      spec: { groups: members },
    });
    await eventually(async () => (await cluster.get({ ...NAMESPACE, name })).metadata.name === name, 'the namespace is there');
  }
  const definition = crd(group, label);
  await cluster.create(CRD, definition);
  const operator = {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name: 'vat', namespace: home },
    spec: { name: 'vat', chartURL: 'https://charts.example.com/vat-1.0.0.tgz' },
  };
  await cluster.create(OPERATOR, operator);
  const fact = {
    name: `vats.${group}`,
    kind: 'Vat',
    origin: 'crds',
    established: true,
    object: definition,
    group,
    plural: 'vats',
    namespaced: true,
    version: 'v1',
    labelled: true,
  } as const;
  for (const role of rolesOf(fact, label)) await cluster.apply(CLUSTER_ROLE, role, { fieldManager: 'test', force: 'force' });
}

function crd(group: string, label: string): KubeObject {
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const replicas = { type: 'integer', default: 1 };
  const spec = { type: 'object', default: {}, properties: { replicas, resources: any, storage: any } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `vats.${group}`, labels: { 'chandlery.dev/operator': label } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Vat', plural: 'vats' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
