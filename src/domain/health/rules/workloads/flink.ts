import { degraded, field, healthy, progressing, suspended, unreported, type HealthRule, type HealthRules } from '../rule.ts';

const STATE = 'status.lifecycleState';

/** Flink's operator (nightlies.apache.org/flink): the life of a job and of what runs it in one word. */
const RULE: HealthRule = [
  degraded(field(STATE, 'FAILED'), '{status.error|FAILED}'),
  suspended(field(STATE, 'SUSPENDED')),
  degraded(field('status.jobStatus.state', 'FAILED', 'FAILING'), '{status.error|The job failed}'),
  healthy(field(STATE, 'STABLE', 'DEPLOYED')),
  degraded(field(STATE, 'ROLLED_BACK'), '{status.error|The latest change was rolled back}'),
  progressing(field(STATE)),
  progressing(unreported, 'Waiting for {kind} to report a status'),
];

export const flink: HealthRules = { 'flink.apache.org/FlinkDeployment': RULE, 'flink.apache.org/FlinkSessionJob': RULE };
