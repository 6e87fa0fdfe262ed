import { all, degraded, field, healthy, not, otherwise, progressing, suspended, unknown, type HealthRules } from '../rule.ts';

const STATE = 'status.applicationState.state';
const FAILED = '{status.applicationState.errorMessage|SparkApplication failed}';

/** `PENDING_RERUN` as people read it. */
function stateMessage(state: string): string {
  const words = state.toLowerCase().split('_');
  return `SparkApplication is ${words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ')}`;
}

/** Spark on Kubernetes (kubeflow.org/docs/components/spark-operator). */
export const spark: HealthRules = {
  'sparkoperator.k8s.io/SparkApplication': [
    degraded(field(STATE, 'FAILED', 'SUBMISSION_FAILED', 'FAILING'), FAILED),
    healthy(field(STATE, 'RUNNING', 'COMPLETED', 'SUCCEEDING'), stateMessage),
    suspended(field(STATE, 'SUSPENDED', 'SUSPENDING'), stateMessage),
    unknown(field(STATE, 'UNKNOWN'), stateMessage),
    progressing(all(field(STATE), not(field(STATE, ''))), stateMessage),
    progressing(otherwise, 'Waiting for SparkApplication'),
  ],
  'sparkoperator.k8s.io/ScheduledSparkApplication': [
    degraded(field('status.scheduleState', 'FailedValidation'), '{status.reason|FailedValidation}'),
    suspended(field('spec.suspend', true), '{kind} is suspended'),
    healthy(field('status.scheduleState', 'Scheduled')),
    progressing(otherwise, 'Waiting for ScheduledSparkApplication'),
  ],
};
