import type { Manifest } from './kube-object.ts';

export interface BudgetInput {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Readonly<Record<string, string>>;
  /** A number or a share such as `25%`. */
  readonly maxUnavailable: string | number;
}

/** How many pods maintenance may take away at the same time. */
export function disruptionBudget({ namespace, name, selector, maxUnavailable }: BudgetInput): Manifest {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace, name, labels: selector },
    spec: { maxUnavailable, selector: { matchLabels: selector } },
  };
}
