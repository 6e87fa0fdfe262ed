import { condition, degraded, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

/** The Vertical Pod Autoscaler (github.com/kubernetes/autoscaler). */
export const verticalPodAutoscaler: HealthRules = {
  'autoscaling.k8s.io/VerticalPodAutoscaler': [
    degraded(condition(['ConfigUnsupported', 'NoPodsMatched'])),
    healthy(condition('RecommendationProvided'), '{kind} provides a recommendation'),
    progressing(otherwise, 'Waiting for the first recommendation'),
  ],
};
