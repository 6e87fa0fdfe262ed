import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { operatorLabelValue, parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import type { KubeObject, ServedKind } from '../../domain/kubernetes/resource.ts';
import { buildTree } from '../../domain/tree/tree-builder.ts';
import { type MemberField, releaseField, releaseMembers, type ReleaseName } from '../../domain/tree/release-members.ts';
import { emptyTree } from '../../domain/tree/emptiness.ts';
import type { OperatorTree } from '../../domain/tree/tree.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';
import type { Ports } from '../ports.ts';
import { readRestOfRelease } from '../release/read-release.ts';
import { clusterKinds, namespacedKinds, readObjects } from '../instance/read-objects.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import type { LogPod } from '../../domain/instance/pod-log.ts';
import { secretsOf } from '../instance/instance-masking.ts';
import { type LogQuery, type LogView, podsBelow, readLogs } from '../instance/show-logs.ts';

/** Helm puts this label on every object of a release, and who the release is into annotations. */
const BY_HELM = 'app.kubernetes.io/managed-by=Helm';

/**
 * The resource tree of an Operator, read as the actor: what its release brought and what came of that, by owner references, in the namespace of
 * the release; and cluster-wide objects of the release. What belongs to the release is known by the annotations that Helm puts on its objects,
 * so nobody needs a right on the release's Secret, which holds its values. Who may read that sees
 * by its manifest what the release has elsewhere, and what does not exist.
 */
export async function showOperatorTree(
  ports: Pick<Ports, 'clusters' | 'discovery' | 'health'>,
  actor: Actor,
  address: OperatorAddress,
): Promise<OperatorTree> {
  const operator = await findOperator(ports, actor, address);
  const { targetNamespace: namespace, releaseName } = parseOperatorSpec(operator);
  const cluster = ports.clusters.asActor(actor);
  const kinds = await ports.discovery.kinds();
  const [inside, outside] = await Promise.all([
    readObjects(cluster, namespacedKinds(kinds), { namespace }),
    readOutside(cluster, clusterKinds(kinds), operatorLabelValue(address.namespace, address.name)),
  ]);
  const read = [...inside.objects, ...outside.objects];
  const release = { namespace, name: releaseName };
  const [rest] = await Promise.all([
    readRestOfRelease(cluster, { release, read, kinds, health: ports.health }),
    ports.health.evaluate(read),
  ]);
  const objects = [...read, ...rest.objects];
  const members = releaseMembers(objects, (object) => memberField(object, { release, named: rest.named }));
  const missing = [
    ...inside.unreadable.map(({ group, resource }) => ({ verb: 'list', group, resource, namespace })),
    ...outside.unreadable.map(({ group, resource }) => ({ verb: 'list', group, resource })),
  ];
  const unreadable = [...inside.unreadable, ...outside.unreadable].map(({ kind }) => kind);
  const tree = buildTree(operator, objects, {
    unreadable,
    unavailable: [...inside.unavailable, ...outside.unavailable],
    members,
  });
  const empty = tree.count > 1 ? {} : { empty: emptyTree(`the release ${namespace}/${releaseName}`, missing) };
  return {
    ...tree,
    ...empty,
    namespace,
    release: { ...release, missing: rest.missing },
    ...missingPermission(inside.unreadable, namespace),
  };
}

/** Cluster-wide objects by Helm's label, and the definitions by ours, because Helm has no part in them. */
async function readOutside(cluster: Pick<Cluster, 'list' | 'listMetadata'>, kinds: readonly ServedKind[], label: string) {
  const definitions = kinds.filter(isDefinitionKind);
  const [others, own] = await Promise.all([
    readObjects(
      cluster,
      kinds.filter((kind) => !isDefinitionKind(kind)),
      { labelSelector: BY_HELM },
    ),
    readObjects(cluster, definitions, { labelSelector: `${OURS.operatorLabel}=${label}` }),
  ]);
  return {
    objects: [...others.objects, ...own.objects],
    unreadable: [...others.unreadable, ...own.unreadable],
    unavailable: [...others.unavailable, ...own.unavailable],
  };
}

function isDefinitionKind({ group, resource }: ServedKind): boolean {
  return group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions';
}

/** CRDs are known by our label, because Helm has no part in them. */
function memberField(
  object: KubeObject,
  { release, named }: { readonly release: ReleaseName; readonly named: ReadonlySet<string> },
): MemberField | undefined {
  if (object.kind === 'CustomResourceDefinition') return { kind: 'Label', key: OURS.operatorLabel };
  return releaseField(object, { release, named });
}

/** Who may not even list Deployments there sees nothing of the operator at work. */
function missingPermission(unreadable: readonly ServedKind[], namespace: string): { readonly missing?: MissingPermission } {
  const workloads = unreadable.find(({ group, resource }) => group === 'apps' && resource === 'deployments');
  return workloads === undefined ? {} : { missing: { verb: 'list', group: workloads.group, resource: workloads.resource, namespace } };
}

/** A query, with the pods when the caller has read them just now. */
interface OperatorLogsInput extends OperatorAddress, LogQuery {
  readonly pods?: readonly LogPod[];
}

/**
 * The last lines that the pods of an Operator's release have written, read as the actor. Values of the Operator that are sensitive by their names are masked.
 *
 * @throws AppError as `findOperator` and `readLogs`.
 */
export async function showOperatorLogs(
  ports: Pick<Ports, 'clusters' | 'discovery' | 'health'>,
  actor: Actor,
  { pods: known, ...input }: OperatorLogsInput,
): Promise<LogView> {
  const operator = await findOperator(ports, actor, input);
  const { targetNamespace: namespace } = parseOperatorSpec(operator);
  const cluster = ports.clusters.asActor(actor);
  const pods = known ?? (await podsBelow(cluster, namespace, async () => (await showOperatorTree(ports, actor, input)).root));
  return await readLogs(cluster, {
    namespace,
    pods,
    query: input,
    secrets: secretsOf(BY_NAMES, operator),
  });
}
