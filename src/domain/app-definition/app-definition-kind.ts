import { AGE_COLUMN, MESSAGE_COLUMN, READY_COLUMN, RECONCILE_AT_COLUMN, type Kind } from '../kind/kind.ts';
import {
  choice,
  conditionsField,
  duration,
  flag,
  generation,
  integer,
  list,
  map,
  object,
  optional,
  orEmpty,
  text,
  type ValueOf,
} from '../kind/field.ts';
import { namespacePolicyMembers } from '../environment/namespace-policy.ts';
import { OURS } from '../kubernetes/names.ts';
import { APP_DEFINITION } from '../kubernetes/resource-types.ts';
import { appMembers, entryMembers } from '../operator/kind/catalog-fields.ts';
import { kindHealthField } from '../operator/kind/health-fields.ts';
import { chartField } from '../operator/kind/chart-fields.ts';
import { nodeSelectorMembers } from '../workload/node-selector.ts';
import { scaleField } from './scale.ts';
import { expiryField } from '../app-instance/expiry.ts';
import { permissionsField } from './permission-rules.ts';

export const NAMESPACE_MODES = ['Shared', 'Dedicated'] as const;
export type NamespaceMode = (typeof NAMESPACE_MODES)[number];

const KIND_PATTERN = '^[A-Z][A-Za-z0-9]*$';
const NAME_PATTERN = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

const shortNames = orEmpty(
  list(text({ maxLength: 63, pattern: NAME_PATTERN }), { description: 'Short names for kubectl.', maxItems: 5, merge: 'set' }),
);

const names = object(
  {
    kind: optional(text({ description: 'The kind, for example WebApp.', maxLength: 63, pattern: KIND_PATTERN })),
    plural: optional(text({ description: 'The plural in lower case, for example webapps.', maxLength: 63, pattern: NAME_PATTERN })),
    singular: optional(text({ description: 'The singular in lower case, for example webapp.', maxLength: 40, pattern: NAME_PATTERN })),
    shortNames,
  },
  {
    description:
      'The names of the generated kind. Defaults to the name of the chart: web-app becomes WebApp, webapps and webapp. Only shortNames can be changed once the kind exists.',
  },
);

const allowedResource = object(
  {
    group: text({ description: 'The group of the kind. Empty for the kinds of Kubernetes itself.', default: '', maxLength: 253 }),
    kind: text({ description: 'The kind, for example ClusterRole.', maxLength: 63, pattern: KIND_PATTERN }),
  },
  {},
);

const crds = object(
  {
    names: orEmpty(
      list(text({ maxLength: 253, minLength: 1 }), {
        description: 'The names of CRDs, for example buckets.storage.example.com.',
        maxItems: 100,
        merge: 'set',
      }),
    ),
    matchLabels: orEmpty(
      map(text({ maxLength: 63 }), { description: 'Labels of CRDs. One that has all of them is published.', maxProperties: 20 }),
    ),
  },
  {
    description:
      'Publishes the kinds of CRDs that somebody else installed, by name or label, instead of a chart. Only names, labels, catalog and suspend apply to them.',
    rules: [
      {
        rule: '(has(self.names) && size(self.names) > 0) || (has(self.matchLabels) && size(self.matchLabels) > 0)',
        message: 'give names or matchLabels',
      },
    ],
  },
);

const limits = object(
  {
    maxInstances: optional(
      integer({ description: 'How many instances there may be in all environments together.', minimum: 0, maximum: 5000 }),
    ),
    perEnvironment: optional(
      integer({
        description:
          'How many instances there may be in each environment. Its namespace has a ResourceQuota for this, so that the api-server rejects further ones.',
        minimum: 0,
        maximum: 5000,
      }),
    ),
  },
  {
    description:
      'How many instances there may be. Existing releases stay when a limit is lowered. Instances beyond a limit are not installed; the oldest come first.',
  },
);

const rollout = object(
  {
    maxConcurrent: integer({
      description: 'How many instances are upgraded at the same time. With 1, the first failure is the only one.',
      default: 5,
      minimum: 1,
      maximum: 100,
    }),
  },
  { description: 'How updatePolicy Automatic brings a new version of the chart to existing instances.' },
);

const policy = object(
  { ...namespacePolicyMembers, ...nodeSelectorMembers },
  {
    description:
      'What holds for each instance. nodeSelector and nodeSelectorFrom apply to its pods. The rest is the policy of its namespace, with namespaceMode Dedicated; what is left out is as in the Environment of the instance.',
  },
);

const ofNamespaces = Object.keys(namespacePolicyMembers).map((name) => `has(self.policy.${name})`);

const catalog = object(
  { ...entryMembers, ...appMembers },
  {
    description:
      'How the catalogue shows the App. Paths are those of the generated kind: the values of the chart are below spec.values, for example spec.values.replicas.',
  },
);

const spec = object(
  {
    chartURL: optional(
      text({
        description: 'The address of a chart archive (https, oci, or file for a configured root). Exclusive with chart.',
        maxLength: 2048,
        pattern: '^(https?|oci|file)://.+$',
      }),
    ),
    chart: optional(chartField(`the namespace ${OURS.systemNamespace}`)),
    crds: optional(crds),
    names: orEmpty(names),
    namespaceMode: choice(NAMESPACE_MODES, {
      description:
        'Where releases of instances go. Shared: into the namespace of the instance. Dedicated: each into a namespace of its own, which Chandlery creates, and deletes with the instance. It cannot be changed while there are instances.',
      default: 'Shared',
    }),
    policy: orEmpty(policy),
    updatePolicy: choice(['Manual', 'Automatic'], {
      description:
        'What a new version of the chart means for existing instances. Manual leaves them at their version until spec.version of the instance changes. Automatic upgrades instances without a version of their own, tier after tier: development first, production last.',
      default: 'Manual',
    }),
    rollout: orEmpty(rollout),
    limits: orEmpty(limits),
    scale: optional(scaleField),
    expiry: orEmpty(expiryField),
    revisionHistoryLimit: integer({
      description: 'How many AppRevisions to keep beside the current one. Those that instances have, or ask for, are kept in any case.',
      default: 10,
      minimum: 0,
      maximum: 100,
    }),
    allowedResources: orEmpty(
      list(allowedResource, {
        description:
          'Cluster-scoped kinds, and kinds in other namespaces, that releases of instances may contain. Empty: an instance may only have objects in the namespace of its release.',
        maxItems: 100,
        merge: 'atomic',
      }),
    ),
    permissions: permissionsField,
    suspend: flag({
      description: 'Whether to leave the generated kind as it is until this is false again. Deleting the AppDefinition still works.',
      default: false,
    }),
    interval: duration({
      name: 'interval',
      description: 'How often the chart is looked up again, and a failure is retried, for example 10m or 1h30m. At least 10s.',
      default: '10m',
      from: '10s',
    }),
    deletionPolicy: choice(['Block', 'Cascade', 'Orphan'], {
      description:
        'What deleting the AppDefinition does. Block waits until no instance exists, then deletes the generated CRD. Cascade deletes the instances with their releases, then the CRD. Orphan keeps the CRD and the instances and only stops managing them.',
      default: 'Block',
    }),
    catalog: orEmpty(catalog),
    health: kindHealthField('of the releases of the instances'),
  },
  {
    description: 'The chart, the kind that Chandlery generates for it, and its catalogue entry.',
    rules: [
      {
        rule: '[has(self.chartURL), has(self.chart), has(self.crds)].filter(given, given).size() == 1',
        message: 'give exactly one of chartURL, chart and crds',
      },
      {
        rule: `self.namespaceMode == 'Dedicated' || !has(self.policy) || !(${ofNamespaces.join(' || ')})`,
        message:
          'quota, limitRange, networkPolicy and podSecurity are those of dedicated namespaces; set namespaceMode to Dedicated, or leave them out',
        fieldPath: '.policy',
      },
      { rule: 'has(self.crds) == has(oldSelf.crds)', message: 'a chart cannot become crds, nor the other way; make another AppDefinition' },
      {
        rule: String.raw`!has(self.chartURL) || !self.chartURL.matches(r'^[a-z]+:[/\\]*[^/\\?#]*@')`,
        message: 'an address must not hold a user or password; use spec.chart, put them into a Secret and name it in spec.chart.secretRef',
        fieldPath: '.chartURL',
      },
    ],
  },
);

const chart = object(
  {
    name: text({ description: 'The name of the chart.' }),
    version: text({ description: 'The version of the chart.' }),
    appVersion: optional(text({ description: 'The version of what the chart installs.' })),
    digest: text({ description: 'The SHA-256 digest of the archive.' }),
  },
  { description: 'The chart that new instances get.' },
);

const generatedNames = object(
  {
    kind: text({ description: 'The kind.' }),
    plural: text({ description: 'The plural.' }),
    singular: text({ description: 'The singular.' }),
    shortNames,
  },
  { description: 'The names of the generated kind.' },
);

const rolloutStatus = object(
  {
    version: text({ description: 'The version of the chart that is rolled out.' }),
    revision: text({ description: 'Its AppRevision.' }),
    wave: optional(text({ description: 'The tier of the Environments whose instances are upgraded now. Absent when none is left.' })),
    updated: integer({ description: 'Instances that run the version.' }),
    upgrading: integer({ description: 'Instances that are being upgraded.' }),
    pending: integer({ description: 'Instances that wait for their turn.' }),
    failed: integer({ description: 'Instances that the version has failed in. With one of them, the roll-out stops.' }),
    pinned: integer({
      description: 'Instances with a version of their own, or a channel without the version, which are left alone.',
    }),
    skipped: integer({ description: 'Instances that are suspended, asleep, new, in no Environment, or were not healthy before.' }),
    admitted: orEmpty(list(text({}), { description: 'The instances that may take the version now, as namespace/name.', merge: 'atomic' })),
  },
  { description: 'How far the version has come over existing instances. Only with updatePolicy Automatic.' },
);

const uids = (description: string) => orEmpty(list(text({}), { description, merge: 'atomic' }));

const limitsStatus = object(
  {
    admitted: uids('The uids of instances that may be installed.'),
    rejected: uids('The uids of instances beyond a limit, at most five hundred.'),
  },
  { description: 'Which instances the limits let in. Only with limits.' },
);

const status = object(
  {
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    lastHandledReconcileAt: optional(
      text({ description: 'The value of the annotation chandlery.dev/reconcile-at that was handled last.' }),
    ),
    chart: optional(chart),
    availableVersion: optional(text({ description: 'A newer version of the chart that the repository offers.' })),
    names: optional(generatedNames),
    crd: optional(text({ description: 'The name of the generated CustomResourceDefinition.' })),
    published: orEmpty(list(text({}), { description: 'The CRDs that spec.crds publishes.', merge: 'atomic' })),
    revision: optional(text({ description: 'The name of the current AppRevision.' })),
    instances: optional(integer({ description: 'How many instances exist.' })),
    rollout: optional(rolloutStatus),
    limits: optional(limitsStatus),
    assessed: optional(text({ description: 'A digest over what the condition Installable was decided by.' })),
    conditions: conditionsField('the AppDefinition'),
  },
  { description: 'What the controller found and did. Written by the controller alone.' },
);

export type AppDefinitionFields = ValueOf<typeof spec>;
export type AppDefinitionStatus = ValueOf<typeof status>;
/** The names of a generated kind. */
export type GeneratedNames = ValueOf<typeof generatedNames>;
/** A kind of cluster scope, or of another namespace, that a release may contain. */
export type AllowedResource = ValueOf<typeof allowedResource>;

export const APP_DEFINITION_KIND: Kind<AppDefinitionFields, AppDefinitionStatus> = {
  type: APP_DEFINITION,
  shortNames: ['appdef'],
  description: 'An AppDefinition offers a Helm chart as a kind of its own, whose instances are releases of the chart.',
  columns: [
    READY_COLUMN,
    { name: 'Kind', type: 'string', description: 'The generated kind', jsonPath: '.status.names.kind' },
    { name: 'Chart', type: 'string', jsonPath: '.status.chart.name' },
    { name: 'Version', type: 'string', jsonPath: '.status.chart.version' },
    { name: 'Instances', type: 'integer', jsonPath: '.status.instances' },
    RECONCILE_AT_COLUMN,
    MESSAGE_COLUMN,
    AGE_COLUMN,
  ],
  rules: [
    {
      rule: 'oldSelf.hasValue() || size(self.metadata.name) <= 63',
      optionalOldSelf: true,
      message: 'the name must be at most 63 characters, as it is a label of the generated kind',
    },
    {
      rule: "oldSelf.hasValue() || self.metadata.name != 'new'",
      optionalOldSelf: true,
      message: 'the name cannot be new, which is the page for another AppDefinition; choose another name',
    },
    {
      rule: [
        'self.spec.namespaceMode == oldSelf.spec.namespaceMode',
        '|| !has(oldSelf.status) || !has(oldSelf.status.instances) || oldSelf.status.instances == 0',
      ].join(' '),
      message: 'namespaceMode cannot be changed while there are instances; delete them, or make another AppDefinition',
    },
    {
      rule: [
        '!has(oldSelf.status) || !has(oldSelf.status.names) || !has(self.spec.names)',
        '|| (has(oldSelf.spec.names) && self.spec.names == oldSelf.spec.names)',
        '|| ((!has(self.spec.names.kind) || self.spec.names.kind == oldSelf.status.names.kind)',
        '&& (!has(self.spec.names.plural) || self.spec.names.plural == oldSelf.status.names.plural)',
        '&& (!has(self.spec.names.singular) || self.spec.names.singular == oldSelf.status.names.singular))',
      ].join(' '),
      message: 'kind, plural and singular cannot be changed once the kind exists; make another AppDefinition',
    },
  ],
  spec,
  status,
};
