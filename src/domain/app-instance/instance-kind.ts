import {
  choice,
  conditionsField,
  flag,
  foreign,
  generation,
  integer,
  list,
  object,
  optional,
  orEmpty,
  text,
  time,
  type ValueOf,
} from '../kind/field.ts';
import { AWAITABLE } from '../health/health.ts';
import { valuesFromMembers } from '../operator/kind/chart-fields.ts';
import {
  attemptField,
  chartStatusField,
  effectiveLeaf,
  releaseField,
  revisionField,
  rollbackField,
} from '../operator/kind/status-fields.ts';

/** Characters of the notes of a chart that a status holds. */
export const MAX_NOTES = 8_000;

const offeredVersion = object(
  {
    version: text({ description: 'The version of the chart.' }),
    digest: text({ description: 'The SHA-256 digest of its archive.' }),
  },
  {},
);

const testField = object(
  {
    requestedAt: text({ description: 'The value of the annotation chandlery.dev/test-at that was carried out.' }),
    revision: integer({ description: 'The revision of the release that was tested.' }),
    passed: flag({ description: 'Whether all tests passed.' }),
    message: text({ description: 'Which tests passed, or what failed.' }),
    time: time({ description: 'When they ended.' }),
  },
  { description: 'The tests of the chart that somebody asked for last.' },
);

const recordDigestField = object(
  {
    revision: integer({ description: 'The revision of the release.' }),
    digest: text({ description: 'The SHA-256 digest of its manifest, hooks, chart and values, without its status.' }),
    hooks: choice(['Run', 'Skipped'], {
      description: 'Whether Chandlery runs its hooks: Skipped for a revision that Chandlery did not make, or made before it kept digests.',
    }),
  },
  {},
);

const valuesFromItem = object(
  {
    apiVersion: optional(
      text({
        description:
          'The API version of the kind. Default: v1 for Secret and ConfigMap, apps.chandlery.dev/v1alpha1, the one of generated kinds, for all others.',
        minLength: 1,
        maxLength: 317,
      }),
    ),
    kind: text({
      description: 'Secret, ConfigMap, or the kind of an app whose instance has an output, for example PostgresServer.',
      maxLength: 63,
      pattern: '^[A-Z][A-Za-z0-9]*$',
    }),
    ...valuesFromMembers,
    key: text({
      description: 'The key in the data of the Secret or ConfigMap, or the name of an output, which is a connection key of the app.',
      default: 'values.yaml',
      minLength: 1,
      maxLength: 253,
    }),
  },
  {
    rules: [
      {
        rule: "has(self.targetPath) || self.kind in ['Secret', 'ConfigMap']",
        message: 'an output is one value: set targetPath, for example database.host',
      },
    ],
  },
);

/** Where values of an instance come from. */
export type InstanceValuesFrom = ValueOf<typeof valuesFromItem>;

/** The spec of a generated kind. The schema of `values` is the one of its chart, so the generator of the CRD puts it there. */
export const instanceSpec = object(
  {
    version: optional(
      text({
        description: 'The version of the chart. Default: the one that the AppDefinition offers when the instance is created.',
        minLength: 1,
        maxLength: 128,
      }),
    ),
    channel: optional(
      text({
        description:
          'A range of versions of the chart, for example 1.x: without version, the instance follows the newest version within it that the AppDefinition has offered, also with updatePolicy Manual.',
        minLength: 1,
        maxLength: 128,
      }),
    ),
    values: orEmpty(foreign({ description: 'Values of the chart, over its defaults and those of the AppDefinition.' })),
    valuesFrom: orEmpty(
      list(valuesFromItem, {
        description:
          'Secrets and ConfigMaps of the namespace with values, and outputs of other instances there, the later over the earlier, spec.values over all of them.',
        maxItems: 50,
        merge: 'atomic',
      }),
    ),
    suspend: flag({
      description: 'Whether to leave the release as it is until this is false again. Deletion still works.',
      default: false,
    }),
    sleep: flag({
      description:
        'Whether to scale the Deployments and StatefulSets of the release to zero and suspend its CronJobs until this is false again. Data stays. Changes are released after that.',
      default: false,
    }),
    health: orEmpty(
      object(
        {
          waitFor: orEmpty(
            list(choice(AWAITABLE, {}), {
              description:
                'What Ready waits for besides. Address: each Ingress, Gateway, route and LoadBalancer Service has an address, or is accepted. A change is not rolled back for want of it.',
              maxItems: 1,
              merge: 'set',
            }),
          ),
        },
        { description: 'When the instance is ready.' },
      ),
    ),
    expires: optional(
      time({
        description:
          'When the instance expires: its workloads are scaled to zero, and after the grace period of the AppDefinition the instance is deleted. A later time keeps it.',
      }),
    ),
  },
  { description: 'The version and the values of the chart.' },
);

const expiryStatus = object(
  {
    expiresAt: time({ description: 'When the workloads are scaled to zero.' }),
    deletesAt: time({ description: 'When the instance is deleted, unless spec.expires is later then.' }),
    latest: optional(
      time({ description: 'The latest that spec.expires may be, by spec.expiry.after of the AppDefinition. Absent: any time.' }),
    ),
  },
  { description: 'When the instance expires. Absent: never.' },
);

/** The status of a generated kind. */
export const instanceStatus = object(
  {
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    lastHandledReconcileAt: optional(
      text({ description: 'The value of the annotation chandlery.dev/reconcile-at that was handled last.' }),
    ),
    version: optional(text({ description: 'The version of the chart that runs, or is being installed.' })),
    availableVersion: optional(
      text({ description: 'The version that the AppDefinition offers, while the instance has another one. Set spec.version to upgrade.' }),
    ),
    versions: orEmpty(
      list(offeredVersion, {
        description: 'The versions of the chart that spec.version may name, newest first, at most twenty.',
        maxItems: 20,
        merge: 'atomic',
      }),
    ),
    revision: optional(text({ description: 'The name of the AppRevision of this version.' })),
    chart: optional(chartStatusField),
    values: orEmpty(
      list(effectiveLeaf, {
        description:
          'Which layer set each value of the release, those of the chart aside. At most two hundred, and never the values themselves.',
        maxItems: 200,
        merge: 'atomic',
      }),
    ),
    release: optional(releaseField),
    namespace: optional(
      text({
        description: 'The namespace that is dedicated to the instance. Absent where the release is in the namespace of the instance.',
      }),
    ),
    managedRevision: optional(
      integer({ description: 'The newest revision of the release that Chandlery made. Somebody else made a newer one.' }),
    ),
    history: orEmpty(
      list(revisionField, { description: 'The revisions of the release, newest first, at most ten.', maxItems: 100, merge: 'atomic' }),
    ),
    recordDigests: orEmpty(
      list(recordDigestField, {
        description:
          'The release records of Helm as Chandlery released or first saw them, newest first. Chandlery acts on no record that differs, with the reason ReleaseRecordChanged.',
        maxItems: 20,
        merge: 'atomic',
      }),
    ),
    lastReinstallAt: optional(text({ description: 'The value of the annotation chandlery.dev/reinstall-at that was handled last.' })),
    rollback: optional(rollbackField),
    lastTest: optional(testField),
    notes: optional(text({ description: 'The notes of the chart, at most 8,000 characters, without values of Secrets.' })),
    lastAttempted: optional(attemptField),
    failures: optional(
      integer({
        description: 'How many attempts failed since the last success. The time between attempts grows with it, over restarts too.',
      }),
    ),
    replicas: optional(
      integer({
        description: 'How many pods the Deployments and StatefulSets of the release have. Only where the AppDefinition has spec.scale.',
      }),
    ),
    selector: optional(
      text({
        description:
          'The label selector of these pods, for HorizontalPodAutoscalers. Only where the AppDefinition has spec.scale, and the release has one of these workloads.',
      }),
    ),
    expiry: optional(expiryStatus),
    conditions: conditionsField('the instance'),
  },
  { description: 'What the controller found and did. Written by the controller alone.' },
);

export type InstanceSpec = ValueOf<typeof instanceSpec>;
type StatusFields = ValueOf<typeof instanceStatus>;
export interface InstanceStatus extends StatusFields {
  /** Since the last success. */
  readonly failures: number;
}
