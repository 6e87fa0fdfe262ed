import {
  condition,
  conditionOutdated,
  degraded,
  deleted,
  evenWhenDeleted,
  healthy,
  otherwise,
  progressing,
  unreported,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

const rule: HealthRule = [
  evenWhenDeleted,
  progressing(deleted, 'Resource is being deleted'),
  progressing(unreported, 'Waiting for status'),
  progressing(conditionOutdated('*'), 'Waiting for spec update to be observed'),
  degraded(condition('Failed')),
  healthy(condition('Ready'), 'Ready to use'),
  progressing(otherwise, 'Waiting for status'),
];

/** Services of SAP BTP (github.com/SAP/sap-btp-service-operator): `Ready` stays true when an update `Failed`. */
export const sap: HealthRules = {
  'services.cloud.sap.com/ServiceBinding': rule,
  'services.cloud.sap.com/ServiceInstance': rule,
};
