import { degraded, either, fewer, field, healthy, otherwise, progressing, suspended, unreported, type HealthRules } from '../rule.ts';

const READY = 'status.readyReplicas';

/** Apache Solr (apache.github.io/solr-operator). */
export const solr: HealthRules = {
  'solr.apache.org/SolrCloud': [
    progressing(unreported, 'Waiting for solr to exist'),
    progressing(either(fewer(READY, 'status.replicas'), fewer(READY, 'spec.replicas')), 'Not all replicas are ready'),
    healthy(otherwise, 'Solr is ready'),
  ],
  'solr.apache.org/SolrBackup': [
    healthy(field('status.successful', true), 'Backup is finished'),
    suspended(field('spec.recurrence.disabled', true), 'Backups are paused'),
    degraded(field('status.finished', true), 'Backup failed'),
    progressing(otherwise, 'Backup is in progress'),
  ],
};
