import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { compact, fieldsOf, isFields, without, withSpec } from './fields.ts';

const CURRENT = 'flowcontrol.apiserver.k8s.io/v1';
const LEGACY = ['v1alpha1', 'v1beta1', 'v1beta2', 'v1beta3'].map((version) => `flowcontrol.apiserver.k8s.io/${version}`);

export const flowControlRules: RuleTable = {
  ...rulesFor(LEGACY, ['FlowSchema'], (object) => ({ object: { ...object, apiVersion: CURRENT }, notes: [] })),
  ...rulesFor(LEGACY, ['PriorityLevelConfiguration'], liftPriorityLevel),
};

/** Shares were called assured, and zero of them meant the default of 30; v1 takes zero at its word. */
function liftPriorityLevel(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  if (!isFields(spec['limited'])) return { object: { ...object, apiVersion: CURRENT }, notes: [] };
  const limited = spec['limited'];
  const shares = limited['nominalConcurrencyShares'] ?? limited['assuredConcurrencyShares'];
  const nominal = shares === 0 ? undefined : shares;
  const current = compact({ ...without(limited, 'assuredConcurrencyShares'), nominalConcurrencyShares: nominal });
  const notes = [
    ...(limited['assuredConcurrencyShares'] === undefined ? [] : ['the shares have their current name']),
    ...(shares === 0 ? ['no shares, which meant the default, are left out'] : []),
  ];
  return { object: withSpec(object, CURRENT, { ...spec, limited: current }), notes };
}
