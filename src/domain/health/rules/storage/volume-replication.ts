import {
  condition,
  degraded,
  field,
  healthy,
  otherwise,
  present,
  progressing,
  suspended,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

/** VolSync (volsync.readthedocs.io): `Synchronizing` is false between two runs; what became of the last one stands beside it. */
const synchronized: HealthRule = [
  suspended(field('spec.paused', true), '{kind} is paused'),
  degraded(condition('Synchronizing', 'False', 'Error')),
  degraded(field('status.latestMoverStatus.result', 'Failed'), 'The last synchronization failed'),
  progressing(condition('Synchronizing'), '{|Synchronization in progress}'),
  healthy(present('status.lastSyncTime'), 'Last synchronized at {status.lastSyncTime}'),
  healthy(condition('Synchronizing', 'False'), '{|Waiting for the next synchronization}'),
  progressing(otherwise, 'Waiting for {kind}'),
];

/** Replication of volumes by their driver (github.com/csi-addons/kubernetes-csi-addons). */
const mirrored: HealthRule = [
  degraded(condition('Degraded')),
  degraded(condition('Completed', 'False')),
  progressing(condition('Resyncing'), '{|Volume is resyncing}'),
  healthy(condition('Completed'), '{|Volume is replicated}'),
  progressing(otherwise, 'Waiting for {kind}'),
];

export const volumeReplication: HealthRules = {
  'volsync.backube/ReplicationSource': synchronized,
  'volsync.backube/ReplicationDestination': synchronized,
  'replication.storage.openshift.io/VolumeReplication': mirrored,
};
