import { AppError } from '../../domain/core/errors.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { FormNode } from '../model/form-node.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';

/** What one reading of a form may still cost. Whatever the schema nests, all lists and maps of the form draw on the same budget. */
export interface FormBudget {
  /** Rows of lists and maps. */
  rows: number;
  /** Fields of the schema that are looked at, those of each row anew. */
  nodes: number;
  /** Characters of live values that rows take over from where they came from. */
  characters: number;
  /** Characters that are held against patterns, times those of the pattern. Beyond it nothing is rejected: the api-server has the last word. */
  patterns: number;
}

/** Ten times what the longest lists that we know hold, and four times what the largest kind has. */
export const FORM_LIMITS: FormBudget = { rows: 10_000, nodes: 200_000, characters: 16 * 1024 * 1024, patterns: 4_000_000 };

type BudgetUnit = 'rows' | 'nodes' | 'characters';

const UNITS: Readonly<Record<BudgetUnit, string>> = {
  rows: `more than ${FORM_LIMITS.rows.toLocaleString('en')} rows in its lists and maps together`,
  nodes: `more than ${FORM_LIMITS.nodes.toLocaleString('en')} fields, those of all rows together`,
  characters: `more than ${FORM_LIMITS.characters / 1024 / 1024} MiB of values together`,
};

/**
 * Takes an amount off the budget of a form.
 *
 * @throws AppError `TooLarge` with the field at which the budget is used up.
 */
export function spend(budget: FormBudget, unit: BudgetUnit, { amount, path }: { readonly amount: number; readonly path: FormPath }): void {
  budget[unit] -= amount;
  if (budget[unit] >= 0) return;
  const field = formatPath(path).slice(0, 500);
  const message = `The form has ${UNITS[unit]}. Nothing was written: go back, and remove rows or write this field as YAML`;
  throw new AppError('TooLarge', `form: ${field}: ${message}`, { faults: [{ field, message }] });
}

const sizes = new WeakMap<object, number>();

/** About how many characters JSON has as text; of each object it is counted once. */
export function sizeOf(value: Json | undefined): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  const known = sizes.get(value) ?? sizeOfMembers(value);
  sizes.set(value, known);
  return known;
}

function sizeOfMembers(value: object): number {
  return Object.entries(value).reduce((sum, [key, member]) => sum + key.length + sizeOf(member as Json), 2);
}

const counts = new WeakMap<FormNode, number>();

/** The nodes of a part of a form, those of a row counted once. Forms are made once and read often, so the number is kept. */
export function nodesIn(node: FormNode): number {
  const known = counts.get(node) ?? 1 + nodesBelow(node);
  counts.set(node, known);
  return known;
}

function nodesBelow(node: FormNode): number {
  if (node.kind === 'group') return node.children.reduce((sum, child) => sum + nodesIn(child), 0);
  if (node.kind === 'choice') return node.branches.reduce((sum, branch) => sum + nodesIn(branch.node), 0);
  if (node.kind === 'list') return nodesIn(node.item);
  return node.kind === 'map' ? nodesIn(node.value) : 0;
}
