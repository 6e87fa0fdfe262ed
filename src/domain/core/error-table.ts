import { EXTERNAL_ERRORS } from './external-errors.ts';

/**
 * The one table of errors: the HTTP status of each, a short title, what it means and what to do about it (both in Markdown). `npm run docs` writes
 * `docs/errors.md` from it.
 */
export const ERROR_TABLE = {
  InvalidInput: {
    status: 422,
    title: 'The input is not valid',
    meaning:
      'The schema, a rule of the kind or Chandlery rejects the value of a field. `errors` has one entry for each fault, with its field.',
    remedy: 'Correct the fields that are named and send the request again. A page shows each message at its field.',
  },
  MalformedRequest: {
    status: 400,
    title: 'Malformed request',
    meaning:
      'The request cannot be parsed: invalid JSON or percent-encoding, a form that is not UTF-8, an unknown charset, or a duplicate header or session cookie.',
    remedy: 'Correct the client. JSON bodies must be an object or a list, in UTF-8.',
  },
  Unauthenticated: {
    status: 401,
    title: 'Sign in first',
    meaning:
      'There is no session, the session has ended, the sign-in was not completed, or the bearer token is invalid: expired, for another audience, of another issuer or client, without a valid signature, or the ID token of a sign-in in a browser ([accepted tokens](identity.md#bearer-tokens)). A [personal access token](access-tokens.md) can also be revoked, or paused until its user signs in.',
    remedy:
      'Sign in again; programs get a new token. If the identity provider denies access, or a name is reserved, ask its administrator. See [identity](identity.md).',
  },
  Forbidden: {
    status: 403,
    title: 'Permission denied',
    meaning:
      "You are signed in, and your cluster's RBAC does not allow this, or your personal access token does not. `missing` names the verb, the resource and the namespace.",
    remedy:
      'Ask an admin for the role in that environment. If the page prints a grant, it is the smallest one that is sufficient, as YAML and as `kubectl`.',
  },
  CrossSiteRequest: {
    status: 403,
    title: 'The request came from another site',
    meaning: 'A page of another site made your browser send the request, or the browser did not send its origin.',
    remedy:
      'Open Chandlery at its own URL and repeat the action there. If the message names another URL than the one you use, an admin has to set `--public-url`. Programs send a bearer token instead of a cookie.',
  },
  NotFound: {
    status: 404,
    title: 'Not found',
    meaning: 'Nothing exists at this URL, or you may not see it: both get the same answer.',
    remedy: 'Check the URL and the name. If a colleague sees it, ask for a role in that environment.',
  },
  MethodNotAllowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The URL exists, but does not support this method.',
    remedy: 'See `/api/v1/openapi.json` for the methods of each URL. Signing out is a form, not a link.',
  },
  AlreadyExists: {
    status: 409,
    title: 'A resource of this name already exists',
    meaning: 'A resource of this kind and name exists in this namespace.',
    remedy: 'Choose another name, or change the existing resource.',
  },
  AmbiguousKind: {
    status: 409,
    title: 'Several apps have this kind',
    meaning: 'More than one app of the catalogue has a kind, plural or short name of this name. `errors` lists their ids.',
    remedy: 'Add the API group, or write the id of the app: `<plural>.<group>`.',
  },
  Conflict: {
    status: 409,
    title: 'The resource was changed by somebody else',
    meaning: 'Somebody else changed the resource, or owns the field that you set.',
    remedy: 'Load the resource again, check what changed, and repeat your change.',
  },
  PreconditionFailed: {
    status: 412,
    title: 'The resource has changed since you read it',
    meaning:
      'No ETag of `If-Match` is the current one of the resource, or they are weak, or `If-None-Match` has the current one. Nothing was written.',
    remedy: 'Read the resource again and send the change with its new `ETag`.',
  },
  UnsupportedMediaType: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The body is a form, YAML or another type instead of JSON, its `Content-Type` is missing, or it is compressed.',
    remedy: 'Send JSON with `Content-Type: application/json`, for a PATCH `application/merge-patch+json`.',
  },
  TooLarge: {
    status: 413,
    title: 'The request is too large',
    meaning:
      'The body is larger than 1 MiB (64 KiB without a resource) or has more than 10,000 values. A form of the pages may have 5 MiB and 10,000 inputs, and 10,000 rows in all of its lists and maps together; the message names the field that exceeds the limit. Nothing was written.',
    remedy:
      'Send less. After a form, go back in the browser, which still has your entries, and remove rows or write the field as YAML. Put the content of files into a ConfigMap or Secret that the resource names.',
  },
  MisdirectedRequest: {
    status: 421,
    title: 'Wrong host name',
    meaning:
      "The host name of the request is not Chandlery's: neither that of the public URL nor `localhost`. This check prevents DNS rebinding by other sites.",
    remedy:
      'Open the URL that the message names. If programs use another name on purpose, such as that of a Service, an admin adds it with `--other-host`.',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'The URL or the headers of the request are too long',
    meaning: 'The URL with its query and all headers, including cookies, may have 16 KiB together.',
    remedy:
      'Use a shorter link, or a saved configuration instead of a link to a form. If the error persists, delete the cookies of this site in your browser.',
  },
  RequestTimeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The headers of a request must arrive within 10 seconds, and the whole request within 30.',
    remedy: 'Send the request again. If the error persists, check the connection, or the proxy between you and Chandlery.',
  },
  QuotaExceeded: {
    status: 403,
    title: 'The quota of the environment is exceeded',
    meaning: 'The request would exceed the quota of the environment.',
    remedy:
      'Remove or shrink something in the environment, or ask an admin to raise the quota, which is part of the Environment. The preflight check shows how much is left, as far as the fields of the app describe its requests. A quota on a new kind rejects everything until the cluster has counted that kind, which takes a few minutes.',
  },
  AdmissionDenied: {
    status: 422,
    title: 'An admission policy of the cluster denied the request',
    meaning: "An admission policy, an admission webhook or Pod Security rejected the object. The message is the policy's own.",
    remedy:
      'Change what the message names, or ask the owner of the policy. A policy that only warns rejects nothing: the preflight check lists its warnings.',
  },
  DisruptionBudget: {
    status: 409,
    title: 'A disruption budget does not allow it',
    meaning: 'A PodDisruptionBudget requires more healthy pods than would be left, so the cluster did not evict the pod.',
    remedy: 'Wait until more of its pods are healthy, or ask whoever owns the PodDisruptionBudget to allow more disruptions.',
  },
  LimitReached: {
    status: 409,
    title: 'Limit per person reached',
    meaning:
      'You already have the maximum of these: open change requests, saved configurations, live pages, running checks, large bodies. The message names which, and the limit.',
    remedy:
      'Withdraw, delete or close one of them, or wait until one has finished. There is no `Retry-After`, because the time is unknown.',
  },
  TooManyRequests: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'You exceeded a rate limit: 3,000 requests a minute, 30 installations a minute, 600 actions at once. Signed-in people are counted per person, over all sessions, tokens and addresses; other clients per address. The message names the limit.',
    remedy: 'Wait for the seconds of `Retry-After`, then send the request again. Programs should use a watch, or poll less often.',
  },
  TooBusy: {
    status: 503,
    title: 'The server is too busy',
    meaning: 'The large requests of all people reach the limit of the server.',
    remedy: 'Wait for the seconds of `Retry-After`, then send the request again.',
  },
  ...EXTERNAL_ERRORS,
  StillInUse: {
    status: 409,
    title: 'The resource is still in use',
    meaning: "Other resources depend on this one, for example instances of an Operator's kinds.",
    remedy: 'First delete the resources that the message names, or set the deletion policy to `Cascade` or `Orphan` if you intend it.',
  },
  ConfigInvalid: {
    status: 500,
    title: 'The configuration is not valid',
    meaning: "An option, a setting, a state file, or Chandlery's client at the identity provider is not valid. The message names it.",
    remedy: 'An admin corrects it and starts Chandlery again. `chandlery help` lists the options.',
  },
  ChartUnreachable: {
    status: 502,
    title: 'The chart cannot be fetched',
    meaning: 'The URL of the chart does not answer, or returns an error or something else than a chart.',
    remedy: 'Check the URL with `curl -L`. On machines without internet access, map it to a mirror with `--mirror`.',
  },
  ChartNotFound: {
    status: 404,
    title: 'Chart not found',
    meaning: 'The repository answers, but has no such chart or version.',
    remedy: 'Check the name and version. In a folder, `Chart.yaml` must have both.',
  },
  ChartInvalid: {
    status: 422,
    title: 'The fetched file is not a usable chart',
    meaning:
      'The fetched file is not a usable chart: not an archive, no `Chart.yaml`, a path that leads out of the archive, a link, a template that does not render.',
    remedy: 'Correct the chart, then change its version or wait for the next retry.',
  },
  ChartTooLarge: {
    status: 422,
    title: 'The chart is larger than the limits allow',
    meaning:
      'The chart is over the limits: 20 MiB packed, 50 MiB unpacked, 5,000 entries; or the index of its repository is larger than 50 MiB.',
    remedy: 'Exclude files that the chart does not need with a `.helmignore`; remove old versions from the index, or split the repository.',
  },
  ChartCacheFull: {
    status: 507,
    title: 'The chart cache is full',
    meaning:
      'The disk of the chart cache is full, and evicting cached charts and indexes would not free enough space. The existing content of the cache is kept.',
    remedy:
      'Free space in the folder that the message names, lower `--chart-cache-size`, or set another folder with `--state`. Chandlery retries with backoff.',
  },
  DigestMismatch: {
    status: 422,
    title: 'The digest of the chart differs from the pinned one',
    meaning: 'The fetched chart has another digest than the pinned one. It may have been replaced.',
    remedy: 'Find out why before you change the pinned digest.',
  },
  ChartSecretInvalid: {
    status: 422,
    title: 'A Secret that a chart needs cannot be used',
    meaning:
      'The Secret that `spec.chart.secretRef` or `spec.chart.verify.secretRef` names is missing, lacks a key, or has an invalid value. The message names the Secret and the key, and quotes no value.',
    remedy:
      'Correct the key. Chandlery retries as soon as the Secret changes; the installed release stays. [Operator](operator.md#private-repositories) lists the keys.',
  },
  ChartUnauthorized: {
    status: 502,
    title: 'The chart repository denied access',
    meaning:
      'A repository or registry answered 401 or 403, or requests the password for a host to which Chandlery does not send it. The message names the Secret, and says whether its credentials were sent.',
    remedy:
      'Check the user and password, or the token, in the named Secret, and their permissions at the repository. Chandlery retries as soon as the Secret changes.',
  },
  EgressDenied: {
    status: 403,
    title: 'The egress policy denied this address',
    meaning: 'The address, or the target of a redirect, is plain http, this machine or a private network.',
    remedy: 'Use a public https address, a folder, a mirror (`--mirror`), or open the range with `--allow-egress`.',
  },
  UpliftFailed: {
    status: 422,
    title: 'A deprecated API cannot be converted without loss',
    meaning: 'The chart has a resource of an API that Kubernetes has removed, and the conversion would lose information.',
    remedy: 'Use a newer chart. The condition `Uplifted` names the resource and what would be lost.',
  },
  ValuesInvalid: {
    status: 422,
    title: 'The values of the chart are not valid',
    meaning:
      'A Secret or ConfigMap of `spec.valuesFrom` is missing, lacks the key, or does not contain a map of values; or the values violate the `values.schema.json` of the chart.',
    remedy:
      'Correct the object and key that the message names, or set `optional` in `spec.valuesFrom`. Chandlery retries as soon as the object changes. For a violation of the schema, change the value at the named path, in `spec.values` or in the object of `spec.valuesFrom`.',
  },
  HelmFailed: {
    status: 502,
    title: 'Helm failed',
    meaning: "Helm failed to render or install the chart. The message is helm's own, without secrets.",
    remedy:
      'Correct the values or the chart. The controller retries with backoff, or rolls back to the last healthy revision if `spec.upgrade.remediation` is `Rollback`.',
  },
  NamespaceReserved: {
    status: 409,
    title: 'An Operator cannot use this namespace',
    meaning:
      'The Operator, its release or an object of its chart would be in the namespace of an Environment, whose members could use its service account and Secrets; or its release would be in `kube-system`, `kube-public` or `kube-node-lease`.',
    remedy:
      'Choose another `spec.targetNamespace`, create the Operator in another namespace, or change the values of the chart. Nothing is written meanwhile, and the installed release stays.',
  },
  PermissionsMissing: {
    status: 403,
    title: 'Chandlery lacks permissions for this chart',
    meaning:
      "Chandlery's own account may not create an object of the chart, or not grant what a role of the chart grants. The message names each missing verb, API group and resource. Nothing was changed.",
    remedy:
      "Add what the message says to `rbac.operators` in the values of Chandlery's chart and upgrade it, or change the values of the app's chart, so that it needs less. The controller retries with backoff. See [hybrid clusters](hybrid-clusters.md).",
  },
  OperatorDeleting: {
    status: 409,
    title: 'The Operator of this app is being deleted',
    meaning:
      'An admin has deleted the Operator that runs this app, or its CRD. A new instance would be deleted with the others, or stay without a controller.',
    remedy:
      'Choose another app, or ask an admin why the Operator is being deleted. You can change and delete existing instances until the deletion is complete.',
  },
  AppNotAllowed: {
    status: 403,
    title: 'The environment does not allow this app',
    meaning:
      'The Environment allows or denies apps by `spec.allowedApps`, and this app cannot be installed there. An admission policy says the same to kubectl.',
    remedy:
      'Choose another environment or app, or ask the owner of the environment to allow the app. You can still change and delete existing instances. See [allowed apps](environment.md#allowed-apps).',
  },
  ReleaseRejected: {
    status: 409,
    title: 'The release cannot be used',
    meaning:
      'A release in git is faulty, archived, changed after it became active, or does not upgrade from what runs. Nothing is written.',
    remedy:
      'Correct the files and lines that are named. To change an active release, make a new version. See [releases](releases.md#rules).',
  },
  ReleaseTooLarge: {
    status: 422,
    title: 'The release does not fit into its Secret',
    meaning:
      'Helm stores a release in one Secret of at most 1 MiB: the templates and files of the chart, its values, and all rendered objects, compressed. CRDs in `crds/` are not part of it, unless a template of the chart reads these files. A retry cannot succeed, so the Operator is Stalled; the installed release stays. The check of a new Operator and the upgrade preview estimate the size and are `Blocked` in advance.',
    remedy:
      'Disable parts of the chart by its values (dashboards and rules are often large), install its subcharts as separate Operators, or use a chart with fewer files. `chandlery chart inspect` prints the size.',
  },
  ChartInUse: {
    status: 409,
    title: 'The uploaded chart is in use',
    meaning:
      'An AppDefinition, an Operator, or an earlier AppRevision uses the uploaded chart. Without it, its instances cannot be installed again.',
    remedy: 'Give them another chart, or delete them. AppRevisions go by `revisionHistoryLimit` of their AppDefinition.',
  },
  ReleaseRecordChanged: {
    status: 409,
    title: 'The release record of Helm has changed',
    meaning: 'A Secret with a revision of a release is not as Chandlery released it. Helm would act on it, so Chandlery did nothing.',
    remedy: 'Reinstall the instance, or forget its release ([changed release records](app-instances.md#changed-release-records)).',
  },
  ReleaseConflict: {
    status: 409,
    title: 'The release has another owner',
    meaning: 'A Helm release of this name exists and does not belong to this Operator.',
    remedy:
      'Choose another `releaseName`, uninstall the other release, or, if no other Operator owns it, [adopt](operator.md#adoption) it with `spec.adopt`.',
  },
  ApprovalInvalid: {
    status: 409,
    title: 'This version cannot be approved',
    meaning:
      'The approval would have no effect: the version is installed or older than the installed one, it is not in the channel of the Operator, `spec.chart.version` pins one version, or the policy `Automatic` needs no approval.',
    remedy: 'Approve a newer version of the channel, or change `spec.chart.version` or `spec.upgrade.range`. The message says which.',
  },
  ChangeRequestClosed: {
    status: 409,
    title: 'This request is no longer open',
    meaning: 'The request has been approved, declined or withdrawn, or it has expired.',
    remedy: 'The page of the request shows its result. To request the change again, create a new request from the form.',
  },
  UnsafeUpgrade: {
    status: 409,
    title: 'A new CRD would invalidate existing instances',
    meaning:
      'A CRD of the chart removes something that existing instances, or their manifests, use; with `spec.upgrade.crdSafety: Strict`, anything that the live CRD has. Nothing was changed.',
    remedy:
      'Use a chart that keeps existing instances valid, change the instances that the message names, or set `spec.upgrade.crdSafety: None` on the Operator if you intend the loss.',
  },
  ObjectReserved: {
    status: 409,
    title: 'The chart contains reserved objects',
    meaning:
      'The chart contains a CRD in an API group of Chandlery, one of its resources, or a role, binding or label with which Chandlery grants permissions. Nothing was changed.',
    remedy:
      'Remove the object that the message names from the chart. People and CatalogSources create Operators and Environments; Environments grant permissions ([reserved objects](operator.md#reserved-objects)).',
  },
  ResourceNotAllowed: {
    status: 422,
    title: 'The chart contains objects that an instance may not have',
    meaning:
      'The release of an instance would have a cluster-scoped object, an object in another namespace, an object of a kind that the cluster does not serve, a CRD, a pod of a reserved service account, or a hook of a service account that is not part of the release. Nothing was written.',
    remedy:
      'Change the values of the instance, or the chart. An admin allows a kind with `spec.allowedResources` of the AppDefinition, and gives the deployer the permission: in the namespace by `spec.permissions` ([permissions](app-definition.md#permissions)), elsewhere as described in [generated resources](environment.md#generated-resources).',
  },
  CrdConflict: {
    status: 409,
    title: 'The CRD has another owner',
    meaning: 'A CRD of this name belongs to another Operator, to a Helm release, to Chandlery, or to an unknown owner.',
    remedy:
      'Install only one of the two, or, if `spec.catalog.kinds` claims the kind, remove the claim from one of them. The message names both. Adopt a CRD without an owner with `spec.adopt`.',
  },
  KubectlUnavailable: {
    status: 404,
    title: 'kubectl is not set up for people',
    meaning:
      'Chandlery does not know the api-server as people reach it, or the issuer has no public client for the command line. The message names the setting.',
    remedy:
      'An admin sets `--cli-client-id`, and in a cluster `--cluster-url` ([kubectl as yourself](identity.md#kubectl-and-the-command-line)). Until then, use a kubeconfig from your admin.',
  },
  ServerRequired: {
    status: 501,
    title: 'Only a Chandlery server can do this',
    meaning:
      'The command line acts in the cluster of your kubeconfig, as its user. Change requests, saved configurations, the audit log and upgrade previews are kept or made by the server.',
    remedy: 'Name the server: `--server URL`, or once `chandlery login URL`. See [command line](cli.md#where-commands-act).',
  },
  ActorMissing: {
    status: 500,
    title: 'A call for a user had no user',
    meaning: 'A call on behalf of a user had no user name or groups, and was blocked. This is a bug in Chandlery.',
    remedy: 'Report it with the request id.',
  },
  Internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'An unexpected error occurred. The log has the details, the answer does not.',
    remedy: 'Try again. If the error persists, give the request id to an admin: the log has a line with it.',
  },
} as const satisfies Record<string, ErrorRow>;

interface ErrorRow {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}
