import {
  degraded,
  field,
  healthy,
  otherwise,
  progressing,
  suspended,
  unknown,
  unreported,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

const STATE = 'status.state';

/** One word for the cluster, and a count of its nodes. */
function cluster(ready = 'status.ready', size = 'status.size'): HealthRule {
  const nodes = `{${ready}|0}/{${size}|0} node(s) are ready`;
  return [
    healthy(field(STATE, 'ready'), nodes),
    degraded(field(STATE, 'error'), nodes),
    suspended(field(STATE, 'paused'), nodes),
    progressing(field(STATE, 'initializing', 'stopping'), nodes),
    progressing(unreported, 'Waiting for {kind} to report a status'),
    unknown(otherwise, nodes),
  ];
}

/** Databases of Percona (docs.percona.com); their backups and restores have a state that the generic rule reads. */
export const percona: HealthRules = {
  'psmdb.percona.com/PerconaServerMongoDB': cluster(),
  'pxc.percona.com/PerconaXtraDBCluster': cluster(),
  'ps.percona.com/PerconaServerMySQL': cluster('status.mysql.ready', 'status.mysql.size'),
  'pgv2.percona.com/PerconaPGCluster': cluster('status.postgres.ready', 'status.postgres.size'),
};
