import {
  absent,
  all,
  condition,
  conditionOutdated,
  degraded,
  deleted,
  evenWhenDeleted,
  field,
  type HealthRule,
  type HealthRules,
  healthy,
  not,
  otherwise,
  outdated,
  present,
  progressing,
  reasonOf,
  suspended,
  unknown,
  unreported,
} from './rule.ts';

/** AWS Controllers for Kubernetes: every resource has the same conditions (aws-controllers-k8s.github.io, "Conditions"). */
const ack: HealthRules = {
  '*.services.k8s.aws/*': [
    degraded(condition('ACK.Terminal')),
    degraded(condition('ACK.Recoverable')),
    healthy(condition(['ACK.ResourceSynced', 'Ready']), ''),
    progressing(condition(['ACK.ResourceSynced', 'Ready'], ['False', 'Unknown'])),
    progressing(absent('status.conditions'), 'Waiting for resource to be ready'),
  ],
  // What is adopted or exported is no resource of AWS, and has conditions of its own.
  'services.k8s.aws/*': [],
};

/** Azure Service Operator (azure.github.io/azure-service-operator): `Ready` carries a severity; `Info` means that the work goes on. */
const azureServiceOperator: HealthRules = {
  '*.azure.com/*': [
    healthy(condition('Ready')),
    progressing(condition('Ready', ['False', 'Unknown'], ['Reconciling', 'Deleting'])),
    progressing(all(unreported, present('spec.owner')), 'Waiting for {kind} to report a status'),
  ],
};

/** The two kinds that configure the operator itself, with one boolean for a status. */
const configuration: HealthRule = [
  progressing(outdated(), 'Update in progress'),
  healthy(field('status.healthy', true), '{kind} is healthy'),
  degraded(field('status.healthy', false), '{kind} is not healthy'),
];

/** Google Config Connector: each resource has `Ready`, whose reason says why it is not (cloud.google.com, "Config Connector events"). */
const configConnector: HealthRules = {
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
const crossplaneConfiguration: HealthRule = [healthy(otherwise, 'Resource is up-to-date.')];

const crossplane: HealthRules = {
  'rds.aws.crossplane.io/DBCluster': managed('DBCluster'),
  'cloudfront.aws.crossplane.io/Distribution': managed('distribution'),
  '*.crossplane.io/*': managed('resource'),
  '*.upbound.io/*': upbound,
  '*.upbound.io/ProviderConfig': crossplaneConfiguration,
  '*.upbound.io/ClusterProviderConfig': crossplaneConfiguration,
  '*.upbound.io/ProviderConfigUsage': crossplaneConfiguration,
};

const STATUS = ['metadata', 'labels', 'shoot.gardener.cloud/status'];

/** Gardener sums its checks up in a label (gardener.cloud, "Shoot Status"). */
const gardener: HealthRules = {
  'core.gardener.cloud/Shoot': [
    healthy(field(STATUS, 'healthy'), 'Component state: Healthy'),
    progressing(field(STATUS, 'progressing'), 'Component state: Update in progress'),
    degraded(field(STATUS, 'unhealthy'), 'Component state: Unhealthy'),
    unknown(field(STATUS), 'Component state: Unknown'),
    progressing(absent('status.lastOperation'), 'Component state: Update in progress'),
    degraded(field('status.lastOperation.state', 'Failed', 'Error'), '{status.lastOperation.description}'),
  ],
};

const ROLE = "'{status.roleName|<none>}' with ARN '{status.roleARN|<none>}' and ID '{status.roleID|<none>}'";
const failed = not(field('status.state', 'Ready', ''));

/** Keiko iam-manager (github.com/keikoproj/iam-manager): a role of AWS. */
const iamManager: HealthRules = {
  'iammanager.keikoproj.io/Iamrole': [
    progressing(absent('status.state'), 'Waiting for Iamrole to be reconciled'),
    degraded(
      all(failed, not(field('status.retryCount', 0))),
      `Failed to reconcile the Iamrole (retry {status.retryCount|0}) for role ${ROLE}. Reconciliation error was: {status.errorDescription}`,
    ),
    degraded(failed, `Failed to reconcile the Iamrole for role ${ROLE}. Reconciliation error was: {status.errorDescription}`),
    healthy(field('status.state', 'Ready'), "Role '{status.roleName}' exists with ARN '{status.roleARN}' and ID '{status.roleID}'."),
    progressing(otherwise, 'Waiting for Iamrole to be reconciled'),
  ],
};

const READY: HealthRule = [healthy(condition('Ready')), degraded(condition('Ready', 'False')), progressing(condition('Ready', 'Unknown'))];

/** Karpenter (karpenter.sh): what nodes are made from. `NotReady` is the only reason that it gives, also for what no time mends. */
const karpenter: HealthRules = {
  'karpenter.k8s.aws/EC2NodeClass': READY,
  'karpenter.azure.com/AKSNodeClass': READY,
  'karpenter.sh/NodePool': READY,
};

/** Pulumi (pulumi.com/docs, "Kubernetes operator"): conditions after the conventions, which the generic rule reads. */
const pulumi: HealthRules = {
  'pulumi.com/*': [
    progressing(unreported, 'Waiting for the operator'),
    progressing(outdated(), 'Waiting for the operator to observe the latest spec change'),
  ],
};

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
const sap: HealthRules = {
  'services.cloud.sap.com/ServiceBinding': rule,
  'services.cloud.sap.com/ServiceInstance': rule,
};

export const cloud: readonly HealthRules[] = [
  ack,
  azureServiceOperator,
  configConnector,
  crossplane,
  gardener,
  iamManager,
  karpenter,
  pulumi,
  sap,
];
