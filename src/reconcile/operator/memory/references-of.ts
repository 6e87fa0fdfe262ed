import type { KeySource } from '../../../controller/controller.ts';
import { specOf } from '../../../domain/kind/kind.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { CONFIG_MAP, SECRET } from '../../../domain/kubernetes/resource-types.ts';
import { OPERATOR_KIND } from '../../../domain/operator/kind/operator-kind.ts';
import { type Reference, referenceId, type Referrers } from '../../helm-release/watch-references.ts';

/** The Operators as those that refer to objects. */
export function operatorReferrers(operators: KeySource & { get(key: string): KubeObject | undefined }): Referrers {
  return {
    onChange: operators.onChange,
    referencesOf: (key) => {
      const operator = operators.get(key);
      return operator === undefined ? [] : referencesOf(operator);
    },
  };
}

/** The Secrets and ConfigMaps that an Operator refers to, in its own namespace. Sorted, each once. */
export function referencesOf(operator: KubeObject): readonly Reference[] {
  const { namespace = 'default' } = operator.metadata;
  const { chart, valuesFrom } = specOf(OPERATOR_KIND, operator);
  const secrets = [chart?.secretRef?.name, chart?.verify?.secretRef.name].filter((name) => name !== undefined);
  const named = [
    ...valuesFrom.map(({ kind, name }) => ({ type: kind === 'Secret' ? SECRET : CONFIG_MAP, namespace, name })),
    ...secrets.map((name) => ({ type: SECRET, namespace, name })),
  ];
  const byId = new Map(named.map((reference) => [referenceId(reference), reference]));
  return [...byId.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, reference]) => reference);
}
