import { unchanged } from '../../kind/structural-schema.ts';
import { AGE_COLUMN, MESSAGE_COLUMN, RECONCILE_AT_COLUMN, type Kind } from '../../kind/kind.ts';
import { choice, duration, flag, foreign, integer, list, object, optional, orEmpty, text, type ValueOf } from '../../kind/field.ts';
import { monitoringField } from '../../monitoring/monitoring-field.ts';
import { OPERATOR } from '../../kubernetes/resource-types.ts';
import { catalogField } from './catalog-fields.ts';
import { kindHealthField } from './health-fields.ts';
import { chartField, valuesFromItem } from './chart-fields.ts';
import { statusField } from './status-fields.ts';
import { driftDetectionField, testField, upgradeField } from './upgrade-fields.ts';

const dependency = object(
  {
    name: text({ description: 'The name of the Operator.', minLength: 1, maxLength: 253 }),
    namespace: optional(
      text({ description: 'The namespace of the Operator. Defaults to the namespace of this one.', minLength: 1, maxLength: 63 }),
    ),
  },
  {},
);

const spec = object(
  {
    name: optional(
      text({
        description:
          'The name of the operator, and of its Helm release unless releaseName says otherwise. Defaults to metadata.name. Cannot be changed.',
        minLength: 1,
        maxLength: 53,
        pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      }),
    ),
    chartURL: optional(
      text({
        description: 'The address of a chart archive (https, oci, or file for a configured root). Exclusive with chart.',
        maxLength: 2048,
        pattern: '^(https?|oci|file)://.+$',
      }),
    ),
    chart: optional(chartField('the namespace of the Operator')),
    values: orEmpty(
      foreign({
        description:
          'Values of the chart, laid over its own. Do not put secrets here, everybody who may read Operators can read them; valuesFrom takes them from a Secret.',
      }),
    ),
    valuesFrom: orEmpty(
      list(valuesFromItem, {
        description:
          'Secrets and ConfigMaps in the namespace of the Operator that hold values of the chart. Each lies over the ones before it, and values over all of them.',
        maxItems: 50,
      }),
    ),
    targetNamespace: optional(
      text({
        description: 'The namespace of the Helm release. Defaults to the namespace of the Operator. Cannot be changed.',
        minLength: 1,
        maxLength: 63,
        pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      }),
    ),
    createNamespace: flag({
      description: 'Whether to create the target namespace when it does not exist. It is never deleted.',
      default: false,
    }),
    releaseName: optional(
      text({
        description: 'The name of the Helm release. Defaults to name. Cannot be changed.',
        minLength: 1,
        maxLength: 53,
        pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      }),
    ),
    legacyAPIs: choice(['Uplift', 'Reject'], {
      description:
        'What to do with objects of the chart in API versions that this Kubernetes does not serve any more. Uplift converts them and lists each conversion in the condition Uplifted, Reject rejects the chart.',
      default: 'Uplift',
    }),
    upgrade: orEmpty(upgradeField),
    test: orEmpty(testField),
    adopt: flag({
      description:
        'Whether to take over a Helm release of this name that no Operator owns, with its history and its CustomResourceDefinitions, and CustomResourceDefinitions of the chart that exist without an owner. Without it both are conflicts.',
      default: false,
    }),
    driftDetection: orEmpty(driftDetectionField),
    dependsOn: orEmpty(
      list(dependency, {
        description:
          'Operators that must be READY before this one is installed or upgraded. What is installed stays when one of them fails later.',
        maxItems: 50,
      }),
    ),
    suspend: flag({
      description: 'Whether to leave everything as it is until this is false again. Deleting the Operator still works.',
      default: false,
    }),
    interval: duration({
      name: 'interval',
      description:
        'How often the chart is looked up again, and a failure that needs a person is tried again, for example 10m or 1h30m. At least 10s.',
      default: '10m',
      from: '10s',
    }),
    historyLimit: integer({ description: 'How many revisions of the Helm release are kept.', default: 10, minimum: 1, maximum: 100 }),
    deletionPolicy: choice(['Block', 'Cascade', 'Orphan'], {
      description:
        'What deleting the Operator does. Block waits until nobody has an instance of its kinds, then uninstalls the release and keeps the CustomResourceDefinitions. Cascade deletes the instances, then the release, then the CustomResourceDefinitions, with all data. Orphan leaves everything in the cluster and only stops managing it.',
      default: 'Block',
    }),
    monitoring: optional(monitoringField('the namespace of the Operator')),
    catalog: orEmpty(catalogField),
    health: kindHealthField('of the release of this Operator'),
  },
  {
    description: 'The chart to install, its target, and the catalogue entries of its kinds.',
    rules: [
      { rule: 'has(self.chartURL) != has(self.chart)', message: 'give exactly one of chartURL and chart' },
      {
        rule: String.raw`!has(self.chartURL) || !self.chartURL.matches(r'^[a-z]+:[/\\]*[^/\\?#]*@')`,
        message: 'an address must not hold a user or password; use spec.chart, put them into a Secret and name it in spec.chart.secretRef',
        fieldPath: '.chartURL',
      },
      {
        rule: unchanged('name'),
        message: 'name cannot be changed after the Operator was created',
        fieldPath: '.name',
      },
      {
        rule: unchanged('targetNamespace'),
        message: 'targetNamespace cannot be changed after the Operator was created',
        fieldPath: '.targetNamespace',
      },
      {
        rule: unchanged('releaseName'),
        message: 'releaseName cannot be changed after the Operator was created',
        fieldPath: '.releaseName',
      },
    ],
  },
);

export type OperatorFields = ValueOf<typeof spec>;
export type OperatorDeletionPolicy = OperatorFields['deletionPolicy'];

export const OPERATOR_KIND: Kind<OperatorFields, ValueOf<typeof statusField>> = {
  type: OPERATOR,
  shortNames: ['kop'],
  description:
    'An Operator is a Helm chart that admins install for the whole cluster. The kinds of its CRDs become the Apps of the catalogue.',
  columns: [
    { name: 'Status', type: 'string', description: 'READY, INSTALLING, ERROR or DELETING', jsonPath: '.status.status' },
    { name: 'Chart', type: 'string', jsonPath: '.status.chart.name' },
    { name: 'Version', type: 'string', jsonPath: '.status.chart.version' },
    { name: 'Available', type: 'string', description: 'A newer version of the chart', priority: 1, jsonPath: '.status.availableVersion' },
    RECONCILE_AT_COLUMN,
    MESSAGE_COLUMN,
    AGE_COLUMN,
  ],
  spec,
  status: statusField,
};
