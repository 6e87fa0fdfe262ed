import { degraded, field, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

const rule: HealthRule = [
  healthy(field('status.readyToUse', true), 'Ready to use'),
  degraded(field('status.error.message')),
  progressing(otherwise, 'Waiting for status'),
];

/** Snapshots of volumes (kubernetes.io, "Volume Snapshots"): an error may be one of several attempts, so that being ready counts first. */
export const volumeSnapshots: HealthRules = {
  'snapshot.storage.k8s.io/VolumeSnapshot': rule,
  'snapshot.storage.k8s.io/VolumeSnapshotContent': rule,
  'groupsnapshot.storage.k8s.io/VolumeGroupSnapshot': rule,
  'groupsnapshot.storage.k8s.io/VolumeGroupSnapshotContent': rule,
};
