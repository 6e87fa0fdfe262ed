import { at, isObject } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { holds } from '../../schema/conditionals/holds.ts';
import { formatPath } from '../../schema/form-path.ts';
import type { FormModel, FormNode, GroupNode } from './form-node.ts';

export interface ConditionState {
  /** What the form holds, without the key of the root. */
  readonly values: Json;
  /** The texts of paths with content or a fault, and those around them: what has something to show is never hidden. */
  readonly filled: ReadonlySet<string>;
}

/** Whether some fields of a form depend on the values of others. */
export function isConditional(node: FormNode): boolean {
  if (node.kind !== 'group') return false;
  return node.conditionals !== undefined || node.children.some(isConditional);
}

/**
 * The form as it is to be shown for its values: without the empty fields that their conditions leave no use for, and with those marked as required that they
 * require. What a condition says that cannot be judged here hides nothing. Rows of lists and maps show all their fields.
 */
export function applyConditions(model: FormModel, { values, filled }: ConditionState): FormModel {
  const { root } = model;
  if (root.kind !== 'group' || !isConditional(root)) return model;
  const outcome: Outcome = { required: new Set(), hidden: new Set() };
  judge(root, effectiveValue(root, values), outcome);
  return { ...model, root: applied(root, outcome, filled) };
}

/** The texts of paths. */
interface Outcome {
  readonly required: Set<string>;
  readonly hidden: Set<string>;
}

/** What a value is once defaults are filled in. Unset members stay absent. */
function effectiveValue(node: FormNode, value: Json | undefined): Json | undefined {
  const own = value === undefined ? node.fallback : value;
  if (node.kind !== 'group') return own;
  if (own !== undefined && !isObject(own)) return own;
  const members = node.children.flatMap((child): [string, Json][] => {
    const member = effectiveValue(
      child,
      (at(value, child.key) as Json | undefined) ??
        (child.fallback === undefined ? (at(node.fallback, child.key) as Json | undefined) : undefined),
    );
    return member === undefined ? [] : [[child.key, member]];
  });
  const known = new Set(node.children.map(({ key }) => key));
  const others = Object.entries(own ?? {}).filter(([key]) => !known.has(key)) as [string, Json][];
  return members.length + others.length === 0 && own === undefined ? undefined : Object.fromEntries([...others, ...members]);
}

function judge(node: GroupNode, value: Json | undefined, outcome: Outcome): void {
  const { conditionals = [], path } = node;
  const described = new Set<string>();
  const useful = new Set<string>();
  for (const conditional of conditionals) {
    const verdict = holds(conditional.test, value ?? {});
    const textOf = (inner: readonly string[]): string => formatPath([...path, ...inner]);
    for (const inner of conditional.described) {
      described.add(textOf(inner));
      if (verdict !== 'Fails') useful.add(textOf(inner));
    }
    if (verdict !== 'Holds') continue;
    for (const inner of conditional.required) outcome.required.add(textOf(inner));
    for (const inner of conditional.forbidden) outcome.hidden.add(textOf(inner));
  }
  for (const text of described) if (!useful.has(text)) outcome.hidden.add(text);
  for (const child of node.children) if (child.kind === 'group') judge(child, at(value, child.key) as Json | undefined, outcome);
}

function applied(node: GroupNode, outcome: Outcome, filled: ReadonlySet<string>): GroupNode {
  const children = node.children.flatMap((child): FormNode[] => {
    const text = formatPath(child.path);
    if (outcome.hidden.has(text) && !filled.has(text)) return [];
    const inner = child.kind === 'group' ? applied(child, outcome, filled) : child;
    // A default of the chart is there, unless it is the empty text that stands for nothing.
    const isMissing = outcome.required.has(text) && (child.fallback === undefined || child.fallback === '');
    return [isMissing ? { ...inner, required: true } : inner];
  });
  return { ...node, children };
}
