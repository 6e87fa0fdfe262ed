import {
  condition,
  degraded,
  evenWhenDeleted,
  field,
  healthy,
  otherwise,
  progressing,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

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
export const astra: HealthRules = {
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
