import { degraded, field, healthy, otherwise, progressing, unknown, type HealthRules } from '../rule.ts';

const STATUS = 'status.cluster.status';

/** The Operator of MySQL (dev.mysql.com/doc/mysql-operator): states as MySQL Shell has them for a cluster. */
export const mysql: HealthRules = {
  'mysql.oracle.com/InnoDBCluster': [
    healthy(field(STATUS, 'ONLINE')),
    degraded(field(STATUS, 'OFFLINE', 'NO_QUORUM', 'SPLIT_BRAIN', 'INVALID', 'ERROR', 'ONLINE_UNCERTAIN', 'OFFLINE_UNCERTAIN')),
    unknown(field(STATUS, 'UNKNOWN')),
    progressing(field(STATUS)),
    progressing(otherwise, 'Waiting for InnoDBCluster'),
  ],
};
