import { degraded, field, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

const PHASE = 'status.phase';

/** Rook (rook.io): a Ceph cluster has its own word for its health beside the phase of the operator. */
export const rook: HealthRules = {
  'ceph.rook.io/CephCluster': [
    degraded(field('status.ceph.health', 'HEALTH_ERR'), 'Ceph reports {}'),
    degraded(field(PHASE, 'Failure'), '{status.message|Failure}'),
    progressing(field(PHASE, 'Progressing', 'Connecting', 'Deleting'), '{status.message|Progressing}'),
    degraded(field('status.ceph.health', 'HEALTH_WARN'), 'Ceph reports {}'),
    healthy(field('status.ceph.health', 'HEALTH_OK'), 'Ceph reports {}'),
    healthy(field(PHASE, 'Ready', 'Connected')),
    progressing(otherwise, 'Waiting for the cluster to be created'),
  ],
  'ceph.rook.io/*': [
    healthy(field(PHASE, 'Ready', 'Connected', 'Created')),
    degraded(field(PHASE, 'Failure', 'ReconcileFailed'), '{status.message|Failure}'),
    progressing(field(PHASE)),
  ],
};
