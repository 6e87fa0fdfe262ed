import { condition, degraded, field, healthy, otherwise, progressing, suspended, unknown, type HealthRules } from '../rule.ts';

const PHASE = 'status.phase';

/** KubeVirt's importer of disks (github.com/kubevirt/containerized-data-importer): the pod that copies is retried without end, so that its error counts. */
export const containerizedDataImporter: HealthRules = {
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
