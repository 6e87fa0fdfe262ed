import { absent, either, healthy, otherwise, outdated, progressing, type HealthRules } from '../rule.ts';

/** The AWS Load Balancer Controller, which says no more of a binding than which generation it has seen. */
export const awsLoadBalancerController: HealthRules = {
  'elbv2.k8s.aws/TargetGroupBinding': [
    progressing(either(absent('status.observedGeneration'), outdated()), 'Waiting for {kind} to be reconciled'),
    healthy(otherwise, '{kind} is reconciled'),
  ],
};
