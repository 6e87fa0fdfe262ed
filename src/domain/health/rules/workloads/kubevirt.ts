import {
  all,
  condition,
  degraded,
  evenWhenDeleted,
  field,
  healthy,
  otherwise,
  progressing,
  suspended,
  unknown,
  type HealthRules,
} from '../rule.ts';

const NONE = 'No status available';

/** KubeVirt (kubevirt.io): a virtual machine has a status meant for people, the instance that runs it a phase. */
export const kubevirt: HealthRules = {
  'kubevirt.io/VirtualMachine': [
    healthy(field('status.printableStatus', 'Running')),
    suspended(field('status.printableStatus', 'Paused', 'Stopped')),
    degraded(
      field(
        'status.printableStatus',
        'CrashLoopBackOff',
        'DataVolumeError',
        'ErrImagePull',
        'ErrorDataVolumeNotFound',
        'ErrorPvcNotFound',
        'ErrorUnschedulable',
        'ImagePullBackOff',
      ),
    ),
    unknown(field('status.printableStatus', 'Unknown')),
    progressing(field('status.printableStatus')),
    progressing(otherwise, NONE),
  ],
  'kubevirt.io/VirtualMachineInstance': [
    evenWhenDeleted,
    suspended(condition('Paused')),
    suspended(field('status.phase', 'Succeeded')),
    degraded(field('status.phase', 'Failed')),
    unknown(field('status.phase', 'Unknown')),
    healthy(all(field('status.phase', 'Running'), condition('Ready'))),
    progressing(field('status.phase')),
    progressing(otherwise, NONE),
  ],
};
