import type { Condition } from '../../domain/kubernetes/condition.ts';
import { conditionRows, type ConditionRow } from '../page/conditions.ts';

/** What the conditions of an Operator tell, each in one sentence. */
const MEANINGS: Readonly<Record<string, string>> = {
  Ready: 'Whether it is installed as its spec asks for, and works.',
  Fetched: 'Whether its chart can be read.',
  Verified: 'Whether its chart is signed by somebody whom we trust.',
  Uplifted: 'Whether it fits this Kubernetes, old APIs converted.',
  Released: 'Whether its Helm release is as the spec asks for.',
  CRDsEstablished: 'Whether its CRDs are established.',
  Healthy: 'Whether its workloads are ready.',
  Tested: 'Whether the tests that its chart brings have passed.',
  Drifted: 'Whether somebody has changed what was installed.',
  Deletable: 'Whether it can go, now that its deletion was asked for.',
  Reconciling: 'Whether something is under way.',
  Stalled: 'Whether it waits for somebody: it is tried again when its interval is over, or when you ask.',
};

export function operatorConditions(conditions: readonly Condition[]): readonly ConditionRow[] {
  return conditionRows(conditions).map((row) => {
    const meaning = MEANINGS[row.type];
    return meaning === undefined ? row : { ...row, meaning };
  });
}
