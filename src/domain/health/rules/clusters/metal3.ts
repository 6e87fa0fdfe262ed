import { all, degraded, field, healthy, not, otherwise, progressing, suspended, type HealthRules } from '../rule.ts';

const ERROR = 'status.errorMessage';
const STATE = 'status.provisioning.state';

/** Metal³ (book.metal3.io/bmo): a machine that can be used, or is. */
export const metal3: HealthRules = {
  'metal3.io/BareMetalHost': [
    degraded(all(field(ERROR), not(field(ERROR, '')))),
    suspended(field('status.operationalStatus', 'detached')),
    healthy(field(STATE, 'available', 'ready', 'provisioned', 'externally provisioned', 'unmanaged')),
    progressing(all(field(STATE), not(field(STATE, '')))),
    progressing(otherwise, 'Waiting for BareMetalHost'),
  ],
};
