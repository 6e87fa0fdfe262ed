import type { Condition } from '../kubernetes/condition.ts';
import type { CatalogFault, OperatorView } from './operator.ts';
import type { ResourceTree, TreeNode } from '../tree/tree.ts';

/** One thing that is wrong with an Operator. */
export interface OperatorProblem {
  readonly kind: 'Condition' | 'Workload' | 'Fault' | 'Deletion';
  /** What it is about: the type of a condition, `Deployment cache-operator`, `operators/cache.yaml:12:5`. */
  readonly subject: string;
  readonly message: string;
  /** What it comes from, the nearest first: `Pod cache-operator-x: it finds no node`. */
  readonly causes: readonly string[];
}

export interface OperatorReading {
  readonly operator: OperatorView;
  /** Absent when nobody has looked. */
  readonly tree?: ResourceTree;
  /** Those of all catalogue sources. */
  readonly faults: readonly CatalogFault[];
}

/** Conditions that only say what goes on, or repeat another one. */
const NO_PROBLEM = new Set(['Ready', 'Reconciling', 'Deletable']);
/** Conditions that are bad news while they are true. */
const BAD_WHEN_TRUE = new Set(['Stalled', 'Drifted']);

/** A digest of what is wrong: faults of its file, what stands against its deletion, conditions, and workloads with what they suffer from. */
export function problemsOf({ operator, tree, faults }: OperatorReading): readonly OperatorProblem[] {
  const workloads = tree === undefined ? [] : workloadProblems(tree.root);
  const conditions = conditionProblems(operator.conditions).filter(({ subject }) => subject !== 'Healthy' || workloads.length === 0);
  return [...faultProblems(operator, faults), ...deletionProblems(operator), ...conditions, ...workloads];
}

function faultProblems({ namespace, name }: OperatorView, faults: readonly CatalogFault[]): OperatorProblem[] {
  const own = faults.filter(({ resource }) => resource === `Operator ${namespace}/${name}`);
  return own.map(({ file, field = '', line, column, message }) => ({
    kind: 'Fault',
    subject: [file === '' ? field : file, ...(line > 0 ? [line] : []), ...(line > 0 && column > 0 ? [column] : [])].join(':'),
    message: file === '' ? message : `${message}. The last good state of the file stays until you correct it`,
    causes: [],
  }));
}

function deletionProblems({ deletion, conditions }: OperatorView): OperatorProblem[] {
  const stuck = conditions.find(({ type, status }) => type === 'Deletable' && status === 'False');
  if (deletion === undefined || stuck === undefined) return [];
  return [{ kind: 'Deletion', subject: 'The deletion waits', message: stuck.message, causes: [] }];
}

/** `Stalled` says what the loop does next; the condition that it repeats says why, so that one is enough. */
function conditionProblems(conditions: readonly Condition[]): OperatorProblem[] {
  const bad = conditions.filter(({ type, status }) => !NO_PROBLEM.has(type) && status === (BAD_WHEN_TRUE.has(type) ? 'True' : 'False'));
  const relevant = bad.filter(
    ({ type, message }) => type !== 'Stalled' || !bad.some((other) => other.type !== type && other.message === message),
  );
  return relevant.map(({ type, message, reason }) => ({
    kind: 'Condition',
    subject: type,
    message: message === '' ? reason : message,
    causes: [],
  }));
}

/** Each sick object of the release with the sick ones below it; a sick Pod alone says less than the Deployment that it stands for. */
function workloadProblems(root: TreeNode): OperatorProblem[] {
  return root.children.flatMap((node) => {
    const [first, ...below] = sickWay(node);
    if (first === undefined) return [];
    return [
      {
        kind: 'Workload' as const,
        subject: `${first.kind} ${first.name}`,
        message: first.health?.message ?? '',
        causes: below.map(sentenceOf),
      },
    ];
  });
}

/** The way from a node down to the deepest sick one, of the sick alone. */
function sickWay(node: TreeNode): readonly TreeNode[] {
  const below = node.children.map(sickWay).reduce<readonly TreeNode[]>((longest, way) => (way.length > longest.length ? way : longest), []);
  return isSick(node) ? [node, ...below] : below;
}

function isSick({ health }: TreeNode): boolean {
  return health?.status === 'Degraded' || health?.status === 'Missing';
}

function sentenceOf({ kind, name, health }: TreeNode): string {
  return `${kind} ${name}: ${health?.message ?? ''}`;
}
