import { conditionAs, degraded, healthy, otherwise, progressing, reasonOf, suspended, type HealthRule, type HealthRules } from '../rule.ts';

const SAID = '{reason}: {message}';

/** A policy has the condition `Degraded`, what becomes of it on one node `Failing` and `Aborted`. */
const rule: HealthRule = [
  suspended(reasonOf('Ignored')),
  degraded(conditionAs(SAID, ['Degraded', 'Failing', 'Aborted'])),
  progressing(conditionAs(SAID, ['Progressing', 'Pending'])),
  healthy(conditionAs(SAID, 'Available')),
  progressing(otherwise, 'Waiting for policy to be applied'),
];

/** The network of nodes (nmstate.io/kubernetes-nmstate). */
export const nmstate: HealthRules = {
  'nmstate.io/NodeNetworkConfigurationPolicy': rule,
  'nmstate.io/NodeNetworkConfigurationEnactment': rule,
};
