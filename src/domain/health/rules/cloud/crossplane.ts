import {
  all,
  condition,
  degraded,
  healthy,
  otherwise,
  present,
  progressing,
  reasonOf,
  suspended,
  absent,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

/** What a managed resource has and the configuration of a provider has not. */
const PROVIDED = present('spec.forProvider');

/**
 * A managed resource (docs.crossplane.io, "Managed resources"): `Synced` is false when its provider could not make the outside resource as it is written, and
 * `Ready` is true once that resource can be used.
 */
function managed(name: string): HealthRule {
  return [
    progressing(all(PROVIDED, absent('status.conditions')), `Waiting for ${name} to be created`),
    suspended(reasonOf('Synced', 'False', 'ReconcilePaused')),
    degraded(condition('Synced', 'False')),
    healthy(all(reasonOf('Ready'), condition('Synced'))),
    progressing(PROVIDED, `Waiting for ${name} to be available`),
  ];
}

/** Providers of the official families write the last asynchronous call to their cloud as a condition of its own. */
const upbound: HealthRule = [
  suspended(reasonOf('Synced', 'False', 'ReconcilePaused')),
  degraded(condition(['Synced', 'LastAsyncOperation'], 'False')),
  healthy(condition('Ready'), 'Resource is up-to-date.'),
  progressing(condition(['Ready', 'Synced', 'AsyncOperation'], '*'), 'Provisioning resource ...'),
];

/** The credentials of a provider: nothing is made from them, so that they are as they should be once they exist. */
const configuration: HealthRule = [healthy(otherwise, 'Resource is up-to-date.')];

export const crossplane: HealthRules = {
  'rds.aws.crossplane.io/DBCluster': managed('DBCluster'),
  'cloudfront.aws.crossplane.io/Distribution': managed('distribution'),
  '*.crossplane.io/*': managed('resource'),
  '*.upbound.io/*': upbound,
  '*.upbound.io/ProviderConfig': configuration,
  '*.upbound.io/ClusterProviderConfig': configuration,
  '*.upbound.io/ProviderConfigUsage': configuration,
};
