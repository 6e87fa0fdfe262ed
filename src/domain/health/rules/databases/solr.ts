import { absent, either, fewer, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

const READY = 'status.readyReplicas';

/** Apache Solr (apache.github.io/solr-operator). */
export const solr: HealthRules = {
  'solr.apache.org/SolrCloud': [
    progressing(absent('status'), 'Waiting for solr to exist'),
    progressing(either(fewer(READY, 'status.replicas'), fewer(READY, 'spec.replicas')), 'Not all replicas are ready'),
    healthy(otherwise, 'Solr is ready'),
  ],
};
