import {
  condition,
  degraded,
  evenWhenDeleted,
  field,
  type HealthRule,
  type HealthRules,
  healthy,
  otherwise,
  present,
  progressing,
  suspended,
  unknown,
} from './rule.ts';

const STATE = 'status.state';
const NONE = 'No status available';

/** Something that runs to its end. */
const RUN: HealthRule = [
  evenWhenDeleted,
  healthy(field(STATE, 'Completed'), '{kind} Completed'),
  degraded(field(STATE, 'Failed', 'Error')),
  progressing(field(STATE), '{kind} {}'),
  progressing(otherwise, NONE),
];

/** NetApp Astra Control (docs.netapp.com), by kinds that back applications up. */
const astra: HealthRules = {
  'astra.netapp.io/AppVault': [
    healthy(field(STATE, 'available'), 'AppVault Available'),
    degraded(field(STATE, 'failed', 'error'), 'AppVault Failed'),
    progressing(field(STATE), 'AppVault {}'),
    progressing(otherwise, NONE),
  ],
  'astra.netapp.io/Application': [
    healthy(condition('Ready'), 'Astra Application Ready, protectionState: {status.protectionState}'),
    degraded(condition('Ready', 'False'), 'Astra Application Degraded, message: {}'),
    progressing(otherwise, NONE),
  ],
  'astra.netapp.io/Schedule': [
    healthy(field('status.lastScheduleTime'), 'Protection policy lastScheduleTime: {}'),
    healthy(otherwise, 'Protection policy not yet executed'),
  ],
  'astra.netapp.io/*': RUN,
};

const PHASE = 'status.phase';

/** KubeVirt's importer of disks (github.com/kubevirt/containerized-data-importer): the pod that copies is retried without end, so that its error counts. */
const containerizedDataImporter: HealthRules = {
  'cdi.kubevirt.io/DataVolume': [
    degraded(condition('Running', 'False', 'Error')),
    healthy(field(PHASE, 'Succeeded')),
    degraded(field(PHASE, 'Failed')),
    suspended(field(PHASE, 'Paused')),
    unknown(field(PHASE, 'Unknown')),
    progressing(field(PHASE)),
    progressing(otherwise, 'No status available'),
  ],
};

const ROBUSTNESS = 'status.robustness';

/** Longhorn (longhorn.io): the robustness of a volume counts while something has it attached. */
const longhorn: HealthRules = {
  'longhorn.io/Volume': [
    degraded(field(ROBUSTNESS, 'degraded', 'faulted'), 'The volume is {}'),
    progressing(field('status.state', 'creating', 'attaching', 'detaching'), 'The volume is {}'),
    healthy(field('status.state', 'attached', 'detached'), 'The volume is {}'),
  ],
};

const MINIO_STATE = 'status.currentState';

/** MinIO (github.com/minio/operator): one sentence says what its operator is about; these are the ones that it stops at. */
const minio: HealthRules = {
  'minio.min.io/Tenant': [
    healthy(field(MINIO_STATE, 'Initialized')),
    degraded(
      field(
        MINIO_STATE,
        'Statefulset not controlled by operator',
        'Another MinIO Tenant already exists in the namespace',
        'Tenant credentials are not set properly',
        'Different versions across MinIO Pools',
        'Pool Decommissioning Not Allowed',
      ),
    ),
    progressing(field(MINIO_STATE)),
    progressing(otherwise, 'No status info available'),
  ],
};

/** Rook (rook.io): a Ceph cluster has its own word for its health beside the phase of the operator. */
const rook: HealthRules = {
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

const LAST = 'status.lastOperationStatus';

/** Trident (docs.netapp.com/us-en/trident): the last thing that was done to a storage backend. */
const trident: HealthRules = {
  'trident.netapp.io/TridentBackendConfig': [
    degraded(field(LAST, 'Failed'), '{status.message}'),
    degraded(field('status.phase', 'Lost'), '{status.message}'),
    unknown(field('status.phase', 'Unknown'), '{status.message}'),
    healthy(field(LAST, 'Success'), '{status.message}'),
    progressing(otherwise, 'Waiting for backend creation'),
  ],
};

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

const volumeReplication: HealthRules = {
  'volsync.backube/ReplicationSource': synchronized,
  'volsync.backube/ReplicationDestination': synchronized,
  'replication.storage.openshift.io/VolumeReplication': mirrored,
};

const rule: HealthRule = [
  healthy(field('status.readyToUse', true), 'Ready to use'),
  degraded(field('status.error.message')),
  progressing(otherwise, 'Waiting for status'),
];

/** Snapshots of volumes (kubernetes.io, "Volume Snapshots"): an error may be one of several attempts, so that being ready counts first. */
const volumeSnapshots: HealthRules = {
  'snapshot.storage.k8s.io/VolumeSnapshot': rule,
  'snapshot.storage.k8s.io/VolumeSnapshotContent': rule,
  'groupsnapshot.storage.k8s.io/VolumeGroupSnapshot': rule,
  'groupsnapshot.storage.k8s.io/VolumeGroupSnapshotContent': rule,
};

export const storage: readonly HealthRules[] = [
  astra,
  containerizedDataImporter,
  longhorn,
  minio,
  rook,
  trident,
  volumeReplication,
  volumeSnapshots,
];
