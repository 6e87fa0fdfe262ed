import {
  absent,
  condition,
  degraded,
  field,
  healthy,
  outdated,
  progressing,
  suspended,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

/** The two kinds that configure the operator itself, with one boolean for a status. */
const configuration: HealthRule = [
  progressing(outdated(), 'Update in progress'),
  healthy(field('status.healthy', true), '{kind} is healthy'),
  degraded(field('status.healthy', false), '{kind} is not healthy'),
];

/** Google Config Connector: each resource has `Ready`, whose reason says why it is not (cloud.google.com, "Config Connector events"). */
export const configConnector: HealthRules = {
  'core.cnrm.cloud.google.com/ConfigConnector': configuration,
  'core.cnrm.cloud.google.com/ConfigConnectorContext': configuration,
  '*.cnrm.cloud.google.com/*': [
    progressing(outdated(), 'Update in progress'),
    healthy(condition('Ready')),
    suspended(condition('Ready', 'False', 'DependencyNotReady')),
    progressing(condition('Ready', ['False', 'Unknown'], ['Updating', 'Creating', 'Deleting'])),
    degraded(condition('Ready', 'False')),
    progressing(absent('status.conditions'), 'Waiting for status'),
  ],
};
