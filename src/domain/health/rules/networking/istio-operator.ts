import { degraded, field, healthy, otherwise, progressing, suspended, type HealthRules } from '../rule.ts';

const STATUS = 'status.status';

/** The operator that Istio had before version 1.24, with the words of its API. */
export const istioOperator: HealthRules = {
  'install.istio.io/IstioOperator': [
    healthy(field(STATUS, 'HEALTHY'), 'Component is healthy.'),
    progressing(field(STATUS, 'UPDATING'), 'Component is being updated to a different version.'),
    progressing(field(STATUS, 'RECONCILING'), 'Controller has started but not yet completed reconciliation loop for the component.'),
    suspended(field(STATUS, 'ACTION_REQUIRED'), 'Component needs somebody to act.'),
    degraded(field(STATUS, 'ERROR'), 'Component is in an error state.'),
    progressing(otherwise, 'Waiting for the operator to report a status.'),
  ],
};
