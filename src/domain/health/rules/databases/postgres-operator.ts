import { degraded, field, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

const STATUS = 'status.PostgresClusterStatus';

/** Zalando's Postgres Operator (postgres-operator.readthedocs.io): one word for the cluster. */
export const postgresOperator: HealthRules = {
  'acid.zalan.do/postgresql': [
    healthy(field(STATUS, 'Running')),
    progressing(field(STATUS, 'Creating', 'Updating')),
    degraded(field(STATUS, 'CreateFailed', 'UpdateFailed', 'SyncFailed', 'Invalid')),
    progressing(otherwise, 'Waiting for postgres cluster status...'),
  ],
};
