import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { findCondition } from '../../../domain/kubernetes/condition.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { keyOf, type KubeObject, type ResourceType } from '../../../domain/kubernetes/resource.ts';
import { CLUSTER_ROLE, CRD, OPERATOR, SECRET } from '../../../domain/kubernetes/resource-types.ts';
import { formerOperatorOf, keyOfFormer, releaseDifference, succeedsOperator } from '../../../domain/operator/operator-move.ts';
import { operatorLabelValue } from '../../../domain/operator/operator-spec.ts';
import type { Work } from '../work.ts';

/** What a renamed Operator has to do with its former one. @property former the key of that one, `namespace/name`. */
export type MoveFact =
  /** The former one stays, so everything is its own. */
  | { readonly kind: 'Pending'; readonly former: string }
  /** The two have different Helm releases. */
  | { readonly kind: 'Impossible'; readonly former: string; readonly message: string }
  /** The former one is being deleted, or gone, and its label is on what the two share. */
  | { readonly kind: 'Due'; readonly former: string; readonly label: string };

/** The move of an Operator that stays; undefined when it was not renamed, or has everything. */
export async function observeMove(work: Work): Promise<MoveFact | undefined> {
  const { ports, operator, signal } = work;
  const address = formerOperatorOf(operator);
  if (address === undefined) return undefined;
  const former = keyOfFormer(address);
  const found = await ifFound(ports.cluster.get({ ...OPERATOR, ...address }, { signal }));
  const message = found && releaseDifference(found, operator);
  if (message !== undefined) return { kind: 'Impossible', former, message };
  if (found !== undefined && found.metadata.deletionTimestamp === undefined) return { kind: 'Pending', former };
  const label = operatorLabelValue(address.namespace, address.name);
  return (await hasLabelled(work, label)) ? { kind: 'Due', former, label } : undefined;
}

/** How far the move of an Operator that is being deleted has come. */
export type DepartureFact =
  | { readonly kind: 'Moving' | 'Moved'; readonly successor: string }
  | { readonly kind: 'Impossible'; readonly successor: string; readonly message: string }
  /** The successor was deleted before it had everything. */
  | { readonly kind: 'Aborted' };

/** The move of an Operator that is being deleted; undefined when it was not renamed. */
export async function observeDeparture(work: Work): Promise<DepartureFact | undefined> {
  const { ports, operator, status, signal } = work;
  const { items } = await ports.cluster.list(OPERATOR, { signal });
  const found = items.find((one) => succeedsOperator(one, keyOf(operator)));
  if (found === undefined) return findCondition(status.conditions, 'Deletable')?.reason === 'Moving' ? { kind: 'Aborted' } : undefined;
  const successor = keyOf(found);
  const message = releaseDifference(operator, found);
  if (message !== undefined) return { kind: 'Impossible', successor, message };
  return { kind: (await hasLabelled(work, work.label)) ? 'Moving' : 'Moved', successor };
}

/** What carries the label of an Operator: CRDs, ClusterRoles and the records of its release, in the order in which they move. */
export async function findLabelled({ ports, release, signal }: Work, label: string): Promise<readonly Labelled[]> {
  const { cluster } = ports;
  const records = `owner=helm,name=${release.release}`;
  const [crds, roles, secrets] = await Promise.all([
    cluster.listMetadata(CRD, { signal }),
    cluster.listMetadata(CLUSTER_ROLE, { labelSelector: `${OURS.operatorLabel}=${label}`, signal }),
    cluster.listMetadata(SECRET, { namespace: release.namespace, labelSelector: records, signal }),
  ]);
  const of = (type: ResourceType, objects: readonly KubeObject[]): Labelled[] =>
    objects.filter(({ metadata }) => metadata.labels?.[OURS.operatorLabel] === label).map((object) => ({ type, object }));
  return [...of(CRD, crds.items), ...of(CLUSTER_ROLE, roles.items), ...of(SECRET, secrets.items)];
}

interface Labelled {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

async function hasLabelled(work: Work, label: string): Promise<boolean> {
  return (await findLabelled(work, label)).length > 0;
}
