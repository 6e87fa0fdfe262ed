import { AppError } from '../core/errors.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Whether the text is an RFC 1123 label of at most 63 characters: what namespaces and most objects are named by. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && LABEL.test(text);
}

/** Whether the text is an RFC 1123 subdomain of at most 253 characters. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => LABEL.test(part) && part.length <= 63);
}

/**
 * A name that a person typed for a new object.
 *
 * @throws AppError `InvalidInput` that says what a name may hold, for the field given.
 */
export function parseObjectName(text: string, field = 'metadata.name'): string {
  const name = text.trim();
  if (isDnsLabel(name)) return name;
  const message =
    name === ''
      ? 'Enter a name'
      : `The name ${JSON.stringify(name)} must be at most 63 lower-case letters, digits and hyphens, and begin and end with a letter or digit`;
  throw new AppError('InvalidInput', `name: ${message}`, { faults: [{ field, message }] });
}

/** Names and addresses of our own that more than one part uses. */
export const OURS = {
  group: 'chandlery.dev',
  version: 'v1alpha1',
  /** The group and version of the kinds that AppDefinitions generate. */
  appsGroup: 'apps.chandlery.dev',
  appsVersion: 'v1alpha1',
  operatorGroup: 'operatorcontroller.kubeplus',
  /** Begins the labels by which Kubernetes aggregates ClusterRoles into `chandlery-viewer` and the others. */
  aggregateLabel: 'chandlery.dev/aggregate-to-',
  operatorVersion: 'v1',
  /** The namespace of the controller's own leases and accounts. */
  systemNamespace: 'chandlery-system',
  /** The field manager of everything the controller applies. */
  fieldManager: 'chandlery',
  /** The field manager of what a person applies through pages and API. */
  userFieldManager: 'chandlery-user',
  /** The field manager of the condition PendingRemoval, which goes with it. */
  removalFieldManager: 'chandlery-removal',
  /** Label on a CRD: `<namespace>.<name>` of the Operator that brought it. */
  operatorLabel: 'chandlery.dev/operator',
  /** Label on a generated CRD, its ClusterRoles and AppRevisions: the name of the AppDefinition. */
  appDefinitionLabel: 'chandlery.dev/app-definition',
  /** Label on the records of a release: the instance of a generated kind that it is made for. */
  appInstanceLabel: 'chandlery.dev/app-instance',
  /** Label on a namespace: the Environment that it belongs to, also as one that is dedicated to an instance. */
  environmentLabel: 'chandlery.dev/environment',
  /** Label on a namespace that is dedicated to an instance of a generated kind, and on what Chandlery makes there: the uid of the instance. */
  instanceUidLabel: 'chandlery.dev/instance-uid',
  /** Label on a namespace for saved configurations: `user`, `group` or `everybody`; and annotation: the user or group that they are of. */
  savedConfigurationsLabel: 'chandlery.dev/saved-configurations',
  savedConfigurationsOwner: 'chandlery.dev/saved-configurations-owner',
  /** Label on a Secret that was made for an Instance: the name of the Instance. */
  instanceLabel: 'chandlery.dev/instance',
  /** Label on what a CatalogSource applied: its name. */
  sourceLabel: 'chandlery.dev/source',
  /** Label on what a CatalogSource with an owner applied: the team. */
  teamLabel: 'chandlery.dev/team',
  /** Labels on what a CatalogRelease brought: its name, and where it runs, as `installation.cluster`. */
  releaseLabel: 'chandlery.dev/release',
  releaseTargetLabel: 'chandlery.dev/release-target',
  /** Annotation by which a person asks for a reconciliation now; any new value counts. */
  reconcileAt: 'chandlery.dev/reconcile-at',
  /** Annotation on a CatalogSource: the revision whose pending removals are approved. */
  approvedPrune: 'chandlery.dev/approved-prune',
  /** Annotation on a CatalogSource: the folder or address that takes the place of the one it had. */
  confirmedOrigin: 'chandlery.dev/confirmed-origin',
  /** Annotation: what to do with what depends on the object when it is deleted. Admission policies reject deletions that take something with them without it. */
  deletionIntent: 'chandlery.dev/deletion-intent',
  /** Annotation on an object that is being deleted: `true` keeps it, with all that depends on it. */
  keep: 'chandlery.dev/keep',
  /** Annotation on an object that was deleted and is kept, until it has back what depends on it: the uid that it had. */
  keptFrom: 'chandlery.dev/kept-from',
  /** Label on the Secret that holds a deleted object until it is there again: its resource, as `operators`. */
  keptObjectLabel: 'chandlery.dev/kept-object',
  /** Annotation on what was renamed: its former name. The object of this name is being deleted, and what it stands for moves. */
  movedFrom: 'chandlery.dev/moved-from',
  /** Annotation on what a CatalogSource applied: `disabled` keeps it when its document is gone. */
  prune: 'chandlery.dev/prune',
  /** Annotations on what came of a request: the user who asked, and the one who let it be done. */
  requestedBy: 'chandlery.dev/requested-by',
  approvedBy: 'chandlery.dev/approved-by',
  /** Annotation: the user who created an object through pages or API. */
  createdBy: 'chandlery.dev/created-by',
  /** Annotation on a CronJob: the RFC 3339 time from which on it is to run once, apart from its schedule. */
  runAt: 'chandlery.dev/run-at',
  /** Annotation on a CronJob: the `run-at` that the controller handled last. */
  runHandledAt: 'chandlery.dev/run-handled-at',
  /** Annotation on a CronJob: the user who set `run-at`, until the run is handled. Members can only name themselves. */
  runRequestedBy: 'chandlery.dev/run-requested-by',
  /** Annotations on the Lease of the controllers: the installation that manages the cluster, by its name and its id. */
  installation: 'chandlery.dev/installation',
  installationId: 'chandlery.dev/installation-id',
  finalizer: 'chandlery.dev/finalizer',
} as const;
