import {
  choice,
  conditionsField,
  flag,
  generation,
  integer,
  list,
  object,
  optional,
  orEmpty,
  text,
  time,
  type ValueOf,
} from '../../kind/field.ts';

/** The values of `status.status`. */
export const LEGACY_STATUSES = ['READY', 'INSTALLING', 'ERROR', 'DELETING'] as const;
export const PENDING_REASONS = ['AwaitingApproval', 'OutsideWindow'] as const;
/** How a revision ended; `rolled-back`: the release was rolled back to an earlier one because this one failed. */
export const REVISION_STATUSES = ['deployed', 'failed', 'superseded', 'rolled-back'] as const;
export const CRD_ORIGINS = ['crds', 'template', 'hook', 'runtime', 'former'] as const;

export const chartStatusField = object(
  {
    name: text({ description: 'The name of the chart.' }),
    version: text({ description: 'The version of the chart.' }),
    appVersion: optional(text({ description: 'The version of what the chart installs.' })),
    digest: text({ description: 'The SHA-256 digest of the archive.' }),
  },
  { description: 'The chart that runs, or, before the first installation, the one that was fetched last.' },
);

export const effectiveLeaf = object(
  {
    path: text({ description: 'Where the value stands, for example auth.password. A list is one value.' }),
    origin: text({ description: 'The layer, for example Secret db key password, or spec.values.' }),
  },
  {},
);

const pendingUpgrade = object(
  {
    version: text({ description: 'The version of the chart.' }),
    chartDigest: optional(text({ description: 'The SHA-256 digest of its archive.' })),
    reason: choice(PENDING_REASONS, {
      description: 'What it waits for. AwaitingApproval is for somebody to approve it, OutsideWindow for the maintenance window.',
    }),
    opensAt: optional(time({ description: 'When the maintenance window opens.' })),
  },
  { description: 'An upgrade that is known and has not begun.' },
);

export const releaseField = object(
  {
    name: text({ description: 'The name of the release.' }),
    namespace: text({ description: 'The namespace of the release.' }),
    revision: integer({ description: 'The number of its latest revision.' }),
    status: text({ description: 'The word that Helm has for the state of its latest revision, for example deployed.' }),
  },
  { description: 'The Helm release.' },
);

export const revisionField = object(
  {
    revision: integer({ description: 'The revision of the Helm release.' }),
    chart: text({ description: 'The name of the chart.' }),
    version: text({ description: 'The version of the chart.' }),
    appVersion: optional(text({ description: 'The version of the software in the chart.' })),
    digest: text({
      description: 'The digest over chart, values and Kubernetes version. Empty for a revision that somebody else has made.',
    }),
    chartDigest: optional(text({ description: 'The digest of the chart.' })),
    time: time({ description: 'When the revision began.' }),
    status: choice(REVISION_STATUSES, {
      description: 'How it ended. rolled-back means that it failed, and that the release was rolled back to an earlier one.',
    }),
    tested: optional(flag({ description: 'Whether the tests of the chart passed. Absent while they have not run.' })),
    healthy: optional(
      flag({ description: 'Whether all that it installed became healthy, its tests included. Absent while that is open.' }),
    ),
    rolledBackTo: optional(integer({ description: 'The revision that it was rolled back to.' })),
  },
  {},
);

export const rollbackField = object(
  {
    digest: text({
      description:
        'The digest of the step that failed. It is not tried again until the spec, the chart or a value changes, or somebody asks.',
    }),
    chart: text({ description: 'Name and version of the chart that failed.' }),
    revision: integer({ description: 'The revision that failed.' }),
    toRevision: integer({ description: 'The revision that the release was rolled back to.' }),
    cause: choice(['UpgradeFailed', 'TestFailed', 'Unhealthy'], { description: 'What failed.' }),
    message: text({ description: 'A sentence about what failed.' }),
    generation: generation({ description: 'The generation of the spec that it holds for.' }),
    requestedAt: text({ description: 'The request annotation that was handled before the rollback.' }),
    time: time({ description: 'When it was decided.' }),
  },
  { description: 'The last rollback. There until something else is installed.' },
);

const crd = object(
  {
    name: text({ description: 'The name of the CustomResourceDefinition.' }),
    kind: text({ description: 'The kind that it defines.' }),
    origin: choice(CRD_ORIGINS, {
      description:
        'Where it came from. crds is the crds folder of the chart, template a template, hook a crd-install hook of Helm 2, runtime the operator itself while it ran, former an earlier version of the chart, so that the CRD is kept but no longer in the chart.',
    }),
    established: flag({ description: 'Whether the api-server serves the kind.' }),
    instances: optional(integer({ description: 'How many instances exist. Counted only while the Operator is being deleted.' })),
  },
  {},
);

const blocker = object(
  {
    kind: text({ description: 'The kind of the instance.' }),
    namespace: optional(text({ description: 'Its namespace; absent when the kind is cluster-scoped.' })),
    name: text({ description: 'Its name.' }),
    finalizers: orEmpty(list(text({}), { description: 'Its finalizers, which hold it once it is being deleted.' })),
    heldBy: orEmpty(list(text({}), { description: 'The field managers that set its finalizers, as far as the api-server knows them.' })),
    since: optional(time({ description: 'The deletion timestamp; absent while the resource is not being deleted.' })),
  },
  {},
);

const unlisted = object(
  {
    kind: text({ description: 'The kind.' }),
    apiVersion: text({ description: 'The group and version in which its instances are listed.' }),
    message: text({ description: 'Why the api-server cannot list them, with the conversion webhook that does not answer.' }),
  },
  {},
);

const deletion = object(
  {
    instances: integer({ description: 'How many instances of its kinds are left, those of kinds in unavailable aside.' }),
    blockers: orEmpty(
      list(blocker, { description: 'At most twenty of them, those that are being deleted and hang first.', maxItems: 20, merge: 'atomic' }),
    ),
    unavailable: optional(
      list(unlisted, {
        description:
          'Kinds whose instances the api-server cannot list now. How many there are is unknown, and until it can, Block and Cascade wait.',
        merge: 'atomic',
      }),
    ),
  },
  { description: 'What the deletion waits for. There only while the Operator is being deleted.' },
);

export const attemptField = object(
  {
    digest: optional(
      text({ description: 'The digest over chart, values and Kubernetes version; the same digest means that there is nothing to do.' }),
    ),
    chartDigest: optional(text({ description: 'The digest of the chart.' })),
    generation: generation({ description: 'The generation of the spec.' }),
    requestedAt: text({ description: 'The annotation chandlery.dev/reconcile-at that was seen.' }),
    forcedAt: optional(text({ description: 'The annotation chandlery.dev/force-at that was carried out last.' })),
    time: time({ description: 'When the attempt began.' }),
    references: optional(
      text({
        description:
          'A digest over the versions of the Secrets and ConfigMaps that the spec refers to. Another one ends the wait after a failure.',
      }),
    ),
  },
  { description: 'What the last attempt to install or upgrade was made of.' },
);

export const statusField = object(
  {
    status: optional(choice(LEGACY_STATUSES, { description: 'The state in one word, as kubeplus wrote it.' })),
    customResourceDefinitions: orEmpty(
      list(text({}), { description: 'The names of the CustomResourceDefinitions that the Operator brought, as kubeplus wrote them.' }),
    ),
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    lastHandledReconcileAt: optional(
      text({ description: 'The value of the annotation chandlery.dev/reconcile-at that was handled last.' }),
    ),
    chart: optional(chartStatusField),
    values: orEmpty(
      list(effectiveLeaf, {
        description:
          'Which layer set each value of the release, those of the chart aside. At most two hundred, and never the values themselves.',
      }),
    ),
    availableVersion: optional(
      text({
        description:
          'A newer version of the chart that the repository offers, of the channel, or, for one pinned version, of all released ones.',
      }),
    ),
    pendingUpgrade: optional(pendingUpgrade),
    release: optional(releaseField),
    history: orEmpty(
      list(revisionField, {
        description: 'The revisions of the release, newest first, at most spec.historyLimit.',
        maxItems: 100,
        merge: 'atomic',
      }),
    ),
    rollback: optional(rollbackField),
    crds: orEmpty(list(crd, { description: 'The CustomResourceDefinitions that the Operator brought.', merge: { by: 'name' } })),
    deletion: optional(deletion),
    lastAttempted: optional(attemptField),
    failures: optional(
      integer({
        description: 'How many attempts failed since the last success. The time between attempts grows with it, over restarts too.',
      }),
    ),
    conditions: conditionsField('the Operator'),
  },
  { description: 'What the controller found and did. Written by the controller alone.' },
);

export type LegacyStatus = (typeof LEGACY_STATUSES)[number];
/** A newer revision that is known and not installed yet. `opensAt` is only for `OutsideWindow`. */
export type PendingUpgrade = ValueOf<typeof pendingUpgrade>;
/** One revision of a release, as the status of its Operator or instance remembers it. The digest is empty for one that somebody else has made. */
export type Revision = ValueOf<typeof revisionField>;
/** A rollback that was decided; written down before it begins, so that there is only one for a step. */
export type Rollback = ValueOf<typeof rollbackField>;
/** What made a revision fail: Helm could not make it, the chart's own tests failed, or it did not become healthy in time. */
export type RollbackCause = Rollback['cause'];
export type CrdStatus = ValueOf<typeof crd>;
/**
 * Where a CustomResourceDefinition came from: the `crds/` folder, a template, a Helm 2 `crd-install` hook, the operator itself while it ran, or an
 * earlier version of the chart, so that the one of today does not hold it any more.
 */
export type CrdOrigin = CrdStatus['origin'];
/** An instance that an Operator which is being deleted waits for. */
export type DeletionBlocker = ValueOf<typeof blocker>;
/** What stands in the way of a deletion: how many instances there are, and those that hang first. */
export type DeletionStatus = ValueOf<typeof deletion>;
/** The last attempt to fetch, install or upgrade. The request is empty when nobody had asked. */
export type Attempt = ValueOf<typeof attemptField>;
