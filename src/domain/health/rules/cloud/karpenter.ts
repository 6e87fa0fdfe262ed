import { condition, degraded, healthy, progressing, type HealthRule, type HealthRules } from '../rule.ts';

const READY: HealthRule = [healthy(condition('Ready')), degraded(condition('Ready', 'False')), progressing(condition('Ready', 'Unknown'))];

/** Karpenter (karpenter.sh): what nodes are made from. `NotReady` is the only reason that it gives, also for what no time mends. */
export const karpenter: HealthRules = {
  'karpenter.k8s.aws/EC2NodeClass': READY,
  'karpenter.azure.com/AKSNodeClass': READY,
  'karpenter.sh/NodePool': READY,
};
