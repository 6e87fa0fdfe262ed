import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import type { LogPod } from '../../domain/instance/pod-log.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import { secretsOf } from '../instance/instance-masking.ts';
import { podsBelow, readLogs, type LogQuery, type LogView } from '../instance/show-logs.ts';
import type { Ports } from '../ports.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';
import { showOperatorTree } from './show-operator-tree.ts';

/** A query, with the pods when the caller has read them just now. */
export interface OperatorLogsInput extends OperatorAddress, LogQuery {
  readonly pods?: readonly LogPod[];
}

/**
 * The last lines that the pods of an Operator's release have written, read as the actor. Values of the Operator that are sensitive by their names are masked.
 *
 * @throws AppError as `findOperator` and `readLogs`.
 */
export async function showOperatorLogs(
  ports: Pick<Ports, 'clusters' | 'discovery'>,
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
