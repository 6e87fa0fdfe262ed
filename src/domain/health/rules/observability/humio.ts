import { absent, degraded, field, healthy, missing, progressing, unknown, type HealthRule, type HealthRules } from '../rule.ts';

const STATE = 'status.state';
const COMPONENT = 'Component state: {}.';

/** All kinds have one field `state`, whose words are in the types of github.com/humio/humio-operator. */
const rule: HealthRule = [
  progressing(absent('status'), 'Update in progress'),
  healthy(field(STATE, 'Exists', 'Running'), COMPONENT),
  missing(field(STATE, 'NotFound'), COMPONENT),
  degraded(field(STATE, 'ConfigError', 'Error'), COMPONENT),
  progressing(field(STATE, 'Pending', 'Upgrading', 'Restarting'), COMPONENT),
  unknown(field(STATE), COMPONENT),
];

/** Humio, since renamed to Falcon LogScale. */
export const humio: HealthRules = { 'core.humio.com/*': rule };
