import { CLUSTER_ROLE, CRD } from '../../src/domain/kubernetes/resource-types.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { createKube } from '../../src/kube/kube.ts';
import { crd } from './sample-crds.ts';
import { eventually } from './eventually.ts';
import type { Product } from './product.ts';

const ROLE = 'reads-children';

/** Writes a custom resource of another kind, which developers may read, below the root of a tree, with a status, as operators do. */
export async function writeChild({ kubeconfigPath }: Pick<Product, 'kubeconfigPath'>, root: unknown, status: object): Promise<void> {
  const kube = createKube({ kubeconfigPath, userAgent: 'an-operator' });
  const cluster = kube.asController();
  const definition = crd({ schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } });
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: ROLE, labels: { 'chandlery.dev/aggregate-to-developer': 'true' } },
    rules: [{ apiGroups: ['example.com'], resources: ['as'], verbs: ['get', 'list'] }],
  };
  const [apiVersion = '', kind = '', name = '', uid = ''] = ['apiVersion', 'kind', 'name', 'uid'].map((key) => textAt(root, key));
  const metadata = { namespace: textAt(root, 'namespace') ?? '', name: 'child', ownerReferences: [{ apiVersion, kind, name, uid }] };
  const child = { apiVersion: 'example.com/v1', kind: 'A', metadata, status };
  const options = { fieldManager: 'test', force: 'force' } as const;
  await Promise.all([cluster.apply(CRD, { ...definition, status: undefined }, options), cluster.apply(CLUSTER_ROLE, role, options)]);
  await eventually(() => cluster.apply({ group: 'example.com', version: 'v1', resource: 'as' }, child, options), 'the child is written');
  await kube.close();
}

/** Removes the kind again, with all of it and the permission to read it. */
export async function removeChildren({ kubeconfigPath }: Pick<Product, 'kubeconfigPath'>): Promise<void> {
  const kube = createKube({ kubeconfigPath, userAgent: 'an-operator' });
  await kube.asController().delete({ ...CRD, name: crd({ schema: {} }).metadata.name });
  await kube.asController().delete({ ...CLUSTER_ROLE, name: ROLE });
  await kube.close();
}
