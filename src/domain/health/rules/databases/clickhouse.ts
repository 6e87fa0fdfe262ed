import { degraded, field, healthy, otherwise, progressing, suspended, type HealthRule, type HealthRules } from '../rule.ts';

/** Altinity's operator for ClickHouse: one word for the installation. */
export const clickhouse: HealthRules = {
  'clickhouse.altinity.com/ClickHouseInstallation': installation('ClickHouse'),
  'clickhouse-keeper.altinity.com/ClickHouseKeeperInstallation': installation('ClickHouseKeeper'),
};

function installation(product: string): HealthRule {
  return [
    healthy(field('status.status', 'Completed'), `${product} installation completed successfully`),
    progressing(field('status.status', 'InProgress'), `${product} installation in progress`),
    suspended(field('status.status', 'Stopped', 'Aborted'), `${product} status: {}`),
    degraded(field('status.status'), `${product} status: {}`),
    progressing(otherwise, `${product} status not yet available`),
  ];
}
