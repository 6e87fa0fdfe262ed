import type { Actor } from '../../domain/kubernetes/actor.ts';
import { textAt } from '../../domain/core/read.ts';
import { redact } from '../../domain/core/secret.ts';
import type { KubeObject, ServedKind } from '../../domain/kubernetes/resource.ts';
import type { ResourceTree, TreeNode } from '../../domain/tree/tree.ts';
import { findInstance, type FoundInstance, type InstanceAddress } from './find-instance.ts';
import { workloadsOf, type Workload } from '../../domain/workload/workload.ts';
import { markedOf, redactHealth, redactTexts, redactWorkload, secretsOf } from './instance-masking.ts';
import type { Ports } from '../ports.ts';
import { readGroup } from './read-group.ts';
import { namespacedKinds } from './read-objects.ts';

export type TreePorts = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'groupMemory' | 'health'>;

/** The resource tree of an Instance, read as the actor. */
export async function showTree(ports: TreePorts, actor: Actor, address: InstanceAddress): Promise<ResourceTree> {
  return (await groupOf(ports, actor, await findInstance(ports, actor, address))).tree;
}

/** The resource group of an Instance: its tree, and the workloads in it. */
export interface InstanceGroup {
  readonly tree: ResourceTree;
  /** By kind and name. */
  readonly workloads: readonly Workload[];
}

/** Reads the group of an Instance that was read just now. */
export async function groupOf(
  { clusters, discovery, groupMemory, health }: TreePorts,
  actor: Actor,
  { entry, object, ref }: FoundInstance,
): Promise<InstanceGroup> {
  const kinds = namespacedKinds(await discovery.kinds());
  const memory = groupMemory.kindsFor(actor, object);
  const group = { root: object, namespace: ref.namespace, kinds, memory, health };
  const { tree, objects, unreadable } = await readGroup(clusters.asActor(actor), group);
  const related = unreadable.filter((kind) => isRelated(kind, entry.crd)).map(({ kind }) => kind);
  const secrets = secretsOf(markedOf(entry), object);
  return {
    tree: withoutSecrets({ ...tree, unreadable: related.sort() }, secrets),
    workloads: workloadsOf(objects).map((workload) => redactWorkload(workload, secrets)),
  };
}

/** What operators make instances of. */
const PARTS: ReadonlySet<string> = new Set(
  [
    'pods services secrets configmaps persistentvolumeclaims serviceaccounts endpointslices.discovery.k8s.io',
    'deployments.apps replicasets.apps statefulsets.apps daemonsets.apps jobs.batch cronjobs.batch',
    'ingresses.networking.k8s.io networkpolicies.networking.k8s.io horizontalpodautoscalers.autoscaling poddisruptionbudgets.policy',
  ].flatMap((resources) => resources.split(' ')),
);

/** Whether something may be missing from the tree because a kind cannot be listed: what most apps are made of, and the kinds of the app's own group. */
function isRelated({ group, resource }: ServedKind, { spec }: KubeObject): boolean {
  return PARTS.has(group === '' ? resource : `${resource}.${group}`) || group === textAt(spec, 'group');
}

/** What objects say of themselves may repeat a value of the Instance; what they are called does not change. */
function withoutSecrets(tree: ResourceTree, secrets: readonly string[]): ResourceTree {
  if (secrets.length === 0) return tree;
  const shown = (node: TreeNode): TreeNode => ({
    ...node,
    ...redactTexts({ info: node.info }, secrets),
    ...(node.health === undefined ? {} : { health: redactHealth(node.health, secrets) }),
    children: node.children.map(shown),
  });
  const causes = tree.causes.map((cause) => ({ ...cause, ...redactTexts({ message: cause.message }, secrets) }));
  const addresses = tree.addresses.filter(({ address }) => redact(address, secrets) === address);
  return { ...tree, root: shown(tree.root), health: redactHealth(tree.health, secrets), causes, addresses };
}
