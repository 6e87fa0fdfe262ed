import { findCondition } from '../kubernetes/condition.ts';
import type { OperatorView } from './operator.ts';

/** What an Operator is, in one word; those that need somebody first. */
export const OPERATOR_STATES = ['Error', 'Deleting', 'Installing', 'Suspended', 'Ready'] as const;
export type OperatorState = (typeof OPERATOR_STATES)[number];

/** Which Operators are wanted. An empty list means any. */
export interface OperatorFilter {
  /** Every word must occur in the name, the display name, the kinds, the chart or the message. */
  readonly search: string;
  readonly state: readonly OperatorState[];
  readonly category: readonly string[];
  /** `available`: only those that a newer version is on offer for. */
  readonly upgrade: 'any' | 'available';
}

/** The Operators that match, and counts over all of them. */
export interface OperatorList {
  readonly operators: readonly OperatorView[];
  readonly total: number;
  /** Over all Operators, whatever the filter. */
  readonly states: Readonly<Record<OperatorState, number>>;
  /** Those with a newer version on offer. */
  readonly upgradable: number;
  /** Over all Operators, by name. */
  readonly categories: readonly { readonly value: string; readonly count: number }[];
}

const WORDS = { READY: 'Ready', INSTALLING: 'Installing', ERROR: 'Error', DELETING: 'Deleting' } as const;

/** A deletion is not held by suspending, so it counts more. What runs may work though the wanted version failed; that needs somebody all the same. */
export function stateOf({ status, suspended, conditions }: Pick<OperatorView, 'status' | 'suspended' | 'conditions'>): OperatorState {
  if (suspended && status !== 'DELETING') return 'Suspended';
  const fallenBack = status === 'READY' && findCondition(conditions, 'Ready')?.status === 'False';
  return fallenBack ? 'Error' : WORDS[status];
}

export function filterOperators(all: readonly OperatorView[], filter: OperatorFilter): OperatorList {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const among = <T>(wanted: readonly T[], value: T): boolean => wanted.length === 0 || wanted.includes(value);
  return {
    operators: all.filter(
      (operator) =>
        among(filter.state, stateOf(operator)) &&
        among(filter.category, operator.category) &&
        (filter.upgrade === 'any' || isUpgradable(operator)) &&
        words.every((word) => textOf(operator).includes(word)),
    ),
    total: all.length,
    states: Object.fromEntries(OPERATOR_STATES.map((state) => [state, all.filter((one) => stateOf(one) === state).length])) as Record<
      OperatorState,
      number
    >,
    upgradable: all.filter(isUpgradable).length,
    categories: countOf(all.map(({ category }) => category)),
  };
}

/** Unique in a list. `problems` puts those that need somebody first, `name` goes by namespace and name alone. */
export function orderKey(operator: OperatorView, order: 'problems' | 'name'): string {
  const address = `${operator.namespace}/${operator.name}`;
  return order === 'name' ? address : `${OPERATOR_STATES.indexOf(stateOf(operator))} ${address}`;
}

function isUpgradable({ chart }: OperatorView): boolean {
  return chart.availableVersion !== undefined;
}

function textOf({ namespace, name, displayName, crds, chart, message }: OperatorView): string {
  return [namespace, name, displayName, chart.name, chart.address, message, ...crds.map(({ kind }) => kind)].join(' ').toLowerCase();
}

function countOf(values: readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => a.value.localeCompare(b.value));
}
