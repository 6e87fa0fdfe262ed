import type { Condition } from '../domain/condition.ts';
import { conditionRows, type ConditionRow } from './conditions.ts';

/** What the conditions of an Operator tell, each in one sentence. */
const MEANINGS: Readonly<Record<string, string>> = {
  Ready: 'It is installed as its spec asks for, and works.',
  Fetched: 'Its chart can be read.',
  Verified: 'Its chart is signed by somebody whom we trust.',
  Uplifted: 'Nothing in it needs an API that this Kubernetes has dropped.',
  Released: 'Its Helm release is as the spec asks for.',
  CRDsEstablished: 'The cluster serves the kinds that it brings.',
  Healthy: 'Its workloads are ready.',
  Tested: 'The tests that its chart brings have passed.',
  Drifted: 'Somebody has changed what was installed.',
  Deletable: 'Nothing stands against its deletion.',
  Reconciling: 'Something is under way.',
  Stalled: 'Trying again would change nothing; it is tried when its interval is over, or when you ask.',
};

export function operatorConditions(conditions: readonly Condition[]): readonly ConditionRow[] {
  return conditionRows(conditions).map((row) => {
    const meaning = MEANINGS[row.type];
    return meaning === undefined ? row : { ...row, meaning };
  });
}
