import { booleanAt, listAt, textAt } from '../core/read.ts';
import type { Cluster } from '../kubernetes/cluster.ts';
import { SELF_SUBJECT_RULES_REVIEW } from '../kubernetes/resource-types.ts';

/** The permissions of a user in a namespace (authorization.k8s.io/v1 SubjectRulesReviewStatus). */
export interface NamespaceRules {
  readonly resourceRules: readonly unknown[];
  /** Whether there are no other rules: an authorizer beside RBAC may leave the answer incomplete. */
  readonly complete: boolean;
}

/** Reads them by a SelfSubjectRulesReview, as the account of the cluster client. */
export async function readNamespaceRules(cluster: Pick<Cluster, 'create'>, namespace: string): Promise<NamespaceRules> {
  const { kind } = SELF_SUBJECT_RULES_REVIEW;
  const review = { apiVersion: 'authorization.k8s.io/v1', kind, metadata: { name: '' }, spec: { namespace } };
  const { object } = await cluster.create(SELF_SUBJECT_RULES_REVIEW, review);
  const isIncomplete = booleanAt(object.status, 'incomplete') === true || (textAt(object.status, 'evaluationError') ?? '') !== '';
  return { resourceRules: listAt(object.status, 'resourceRules'), complete: !isIncomplete };
}
