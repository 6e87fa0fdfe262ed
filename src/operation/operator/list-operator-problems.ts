import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { type OperatorProblem, problemsOf } from '../../domain/operator/operator-problems.ts';
import type { CatalogFault, OperatorView } from '../../domain/operator/operator.ts';
import type { OperatorTree } from '../../domain/tree/tree.ts';
import { listSourceFaults } from '../catalog/list-faults.ts';
import type { Ports } from '../ports.ts';
import { showOperatorTree } from './show-operator-tree.ts';

/** An Operator as it was just read, with its tree when that was read too. */
export interface ProblemsInput {
  readonly operator: OperatorView;
  readonly tree?: OperatorTree;
}

/** What is wrong with an Operator, as far as the actor may see. The tree of one that is healthy is not read. */
export async function listOperatorProblems(
  ports: Pick<Ports, 'clusters' | 'discovery'>,
  actor: Actor,
  { operator, tree }: ProblemsInput,
): Promise<readonly OperatorProblem[]> {
  const isWell = operator.status === 'READY';
  const [faults, read] = await Promise.all([
    readFaults(ports, actor),
    tree ?? (isWell || operator.release === undefined ? undefined : showOperatorTree(ports, actor, operator)),
  ]);
  return problemsOf({ operator, faults, ...(read === undefined ? {} : { tree: read }) });
}

/** Whoever may read Operators but no sources still learns the rest. */
async function readFaults(ports: Pick<Ports, 'clusters'>, actor: Actor): Promise<readonly CatalogFault[]> {
  try {
    return await listSourceFaults(ports, actor);
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return [];
    throw error;
  }
}
