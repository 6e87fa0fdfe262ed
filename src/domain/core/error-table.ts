/**
 * The one table of errors: the HTTP status of each, a short title, what it means and what to do about it (both in Markdown). `npm run docs` writes
 * `docs/errors.md` from it.
 */
export const ERROR_TABLE = {
  InvalidInput: {
    status: 422,
    title: 'The input is not valid',
    meaning:
      'A field holds something that the schema, a rule of the kind or we do not take. `errors` has one entry for each fault, with its field.',
    remedy: 'Correct the fields that are named and send it again. In a page, each message stands at its field.',
  },
  MalformedRequest: {
    status: 400,
    title: 'The request cannot be read',
    meaning:
      'The request itself cannot be read: broken JSON or percent-encoding, a form that is not UTF-8, a charset that we do not know, two headers or session cookies of a name where there must be one.',
    remedy: 'Correct the client. JSON bodies must be an object or a list, in UTF-8.',
  },
  Unauthenticated: {
    status: 401,
    title: 'Sign in first',
    meaning:
      'Nobody is signed in, the session has ended, the sign-in was not finished, or the bearer token is not good: expired, for another audience, of another issuer or client, not signed by it, or the ID token of a sign-in in a browser ([which are accepted](identity.md#bearer-tokens)).',
    remedy:
      'Sign in again; programs get a new token. When it says that the identity provider does not let you in, or that a name is reserved, ask whoever runs it. See [identity](identity.md).',
  },
  Forbidden: {
    status: 403,
    title: 'Permission denied',
    meaning: "You are signed in, and your cluster's RBAC does not allow this. `missing` names the verb, the resource and the namespace.",
    remedy:
      'Ask an admin for the role in that environment. Where the page prints a grant, it is the smallest one that would help, as YAML and as `kubectl`.',
  },
  CrossSiteRequest: {
    status: 403,
    title: 'The request came from another site',
    meaning: 'A page of another site made your browser send this, or the browser did not say where it came from.',
    remedy:
      'Open Chandlery at its own address and do it there. When the address in the sentence is not the one you use, an admin must set `--public-url`. Programs send a bearer token instead of a cookie.',
  },
  NotFound: {
    status: 404,
    title: 'Not found',
    meaning: 'There is nothing at this address, or nothing that you may know of: both get the same answer.',
    remedy: 'Check the address and the name. If a colleague sees it, ask for a role in that environment.',
  },
  MethodNotAllowed: {
    status: 405,
    title: 'This address does not answer that method',
    meaning: 'The address exists, and does not answer this method.',
    remedy: 'See `/api/v1/openapi.json` for the methods of each address. Signing out is a form, not a link.',
  },
  AlreadyExists: {
    status: 409,
    title: 'A resource of this name exists already',
    meaning: 'A resource of this kind and name exists in this namespace.',
    remedy: 'Choose another name, or change the one that is there.',
  },
  Conflict: {
    status: 409,
    title: 'The resource was changed by somebody else',
    meaning: 'Somebody else changed the resource, or owns the field that you set.',
    remedy: 'Load it again, look at what changed, and repeat your change.',
  },
  PreconditionFailed: {
    status: 412,
    title: 'The resource is not what you last read',
    meaning:
      'The ETags of `If-Match` are not the one that the resource has now, or are weak, or `If-None-Match` names the one it has. Nothing was written.',
    remedy: 'Read the resource again and send the change with its new `ETag`.',
  },
  UnsupportedMediaType: {
    status: 415,
    title: 'This address does not read that kind of body',
    meaning: 'The body is a form, YAML or something else where JSON is expected, its `Content-Type` is missing, or it is compressed.',
    remedy: 'Send JSON with `Content-Type: application/json`, for a PATCH `application/merge-patch+json`.',
  },
  TooLarge: {
    status: 413,
    title: 'The request is too large',
    meaning:
      'The body is larger than 1 MiB (64 KiB where no resource is sent) or holds more than 10,000 values; a form of the pages may have 5 MiB and 10,000 inputs, and 10,000 rows in all of its lists and maps together; the message names the field at which there were too many. Remove rows there, or write the field as YAML. Nothing was written.',
    remedy:
      'Send less. After a form, go back in the browser: it still has what was typed. What belongs to files goes into a ConfigMap or Secret that the resource names.',
  },
  MisdirectedRequest: {
    status: 421,
    title: 'This server has another name',
    meaning:
      'The request came by a host name that is none of ours: not that of the public URL, not `localhost`. A page of another site whose name was made to lead here is kept out this way.',
    remedy:
      'Open the address that the message names. Where programs use another name on purpose, such as that of a Service, an admin lists it with `--other-host`.',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'The address or the headers of the request are too long',
    meaning: 'The address with its query and all headers, cookies among them, may have 16 KiB together.',
    remedy:
      'Use a shorter link: a form can be kept as a saved configuration instead. Where it stays, delete the cookies of this site in your browser.',
  },
  RequestTimeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The headers of a request must arrive within 10 seconds, and all of it within 30.',
    remedy: 'Send it again. Where it stays, look at the connection, or at the proxy between you and Chandlery.',
  },
  QuotaExceeded: {
    status: 403,
    title: 'The quota of the environment is used up',
    meaning: 'The quota of the environment leaves no room for this.',
    remedy:
      'Remove or shrink something there, or ask an admin for more: the quota is part of the Environment. The check before installing tells how much is left, as far as the fields of the app say what it takes. A quota that names a new kind takes nothing until the cluster has counted that kind, which takes a few minutes.',
  },
  AdmissionDenied: {
    status: 422,
    title: 'A policy of the cluster refuses this',
    meaning: "A policy of the cluster, an admission webhook or Pod Security refuses the object. The sentence is the policy's own.",
    remedy:
      'Change what it names, or ask whoever made the policy. A policy that only warns refuses nothing: its words stand in the check under what to look at first.',
  },
  WebhookUnavailable: {
    status: 409,
    title: 'A webhook or API service of the cluster does not answer',
    meaning:
      'The api-server has to call an admission webhook, a conversion webhook or the server behind an APIService first, and that does not answer: its Service is missing or has no endpoints, the connection is refused, or the answer takes longer than `timeoutSeconds`. The sentence names the webhook, its configuration, its Service, and the Operator or Helm release that brought it. Nothing was changed. A preflight answers `Blocked` with the same sentence, and the form keeps what you typed.',
    remedy:
      'An admin looks at the pods behind the Service that is named; the page of the Operator shows them. Try again when they are ready. A configuration whose chart is gone has to be deleted. On the [embedded cluster](embedded-cluster.md#webhooks-and-api-services) no webhook of a chart ever answers.',
  },
  LimitReached: {
    status: 409,
    title: 'You have as many of these as one person can have',
    meaning:
      'As many of what you ask for are there or under way already: open change requests, saved configurations, live pages, checks, large bodies. The message says which, and how many.',
    remedy: 'Withdraw, delete or close one of them, or wait until one has finished. No time can be told, so there is no `Retry-After`.',
  },
  TooManyRequests: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'More came in a short time than we take: 3,000 requests a minute, 30 installs a minute, 600 acts at once. Whoever is signed in is counted as a person, whatever their session, token or address; everybody else by address. The message says which.',
    remedy: 'Wait for as long as `Retry-After` says; the next request is taken then. Programs should watch, or ask less often.',
  },
  TooBusy: {
    status: 503,
    title: 'Too much is going on at once',
    meaning: 'So many large requests of all people are on their way that there is no room for another one.',
    remedy: 'Wait for as long as `Retry-After` says, and send it again.',
  },
  ClusterUnavailable: {
    status: 503,
    title: 'The cluster does not answer',
    meaning: 'The api-server does not answer, or not in time.',
    remedy: 'Try again in a moment. `/readyz` says when it is back. If it stays so, an admin looks at the cluster and at our kubeconfig.',
  },
  IssuerUnavailable: {
    status: 503,
    title: 'The identity provider does not answer',
    meaning:
      'The identity provider does not answer, so nobody can be signed in or recognised by a token right now. Sessions live on for ten minutes.',
    remedy:
      'Try again in a moment. `/readyz` names it in `away` until it is back. If it stays so, an admin checks its address and the network on the way.',
  },
  StillInUse: {
    status: 409,
    title: 'Something still uses this',
    meaning: 'Something still depends on this: for example instances of the kinds that an Operator brings.',
    remedy: 'Remove what the sentence names first, or set the deletion policy to `Cascade` or `Orphan` if you mean it.',
  },
  ConfigInvalid: {
    status: 500,
    title: 'The configuration is not valid',
    meaning: 'An option, a setting, a file that we keep, or our client at the identity provider is not valid. The sentence names it.',
    remedy: 'An admin corrects it and starts Chandlery again. `chandlery help` lists the options.',
  },
  ChartUnreachable: {
    status: 502,
    title: 'The chart cannot be fetched',
    meaning: 'The address of the chart does not answer, or answers with an error or with something that is no chart.',
    remedy: 'Check the address with `curl -L`. For machines without internet, map it to a mirror with `--mirror`.',
  },
  ChartNotFound: {
    status: 404,
    title: 'There is no chart at this address',
    meaning: 'The place of the chart answers, and has no such chart or version.',
    remedy: 'Check name and version. For a folder, `Chart.yaml` must have both.',
  },
  ChartInvalid: {
    status: 422,
    title: 'What was fetched is not a usable chart',
    meaning:
      'What was fetched is no usable chart: no archive, no `Chart.yaml`, a path that leads out of it, a link, a template that does not render.',
    remedy: 'Correct the chart, then change its version or wait for the next try. `helm template` shows the same fault.',
  },
  ChartTooLarge: {
    status: 422,
    title: 'The chart is larger than the limits allow',
    meaning:
      'The chart is over the limits: 20 MiB packed, 50 MiB unpacked, 5,000 entries; or the index of its repository is larger than 50 MiB.',
    remedy: 'Leave out what the chart does not need, with a `.helmignore`; leave old versions out of the index, or split the repository.',
  },
  ChartCacheFull: {
    status: 507,
    title: 'The chart cache is full',
    meaning:
      'The disk of the folder that keeps fetched charts and indexes is full, and what could go from it would not make enough room. What was there before is still there.',
    remedy:
      'Free space in the folder that the sentence names, let it take less with `--chart-cache-size`, or name another one with `--state`. It is tried again by itself.',
  },
  DigestMismatch: {
    status: 422,
    title: 'The chart is not the one that was pinned',
    meaning: 'The chart that was fetched has another digest than the one that is pinned. It may have been replaced.',
    remedy: 'Find out why before you change the pin.',
  },
  ChartSecretInvalid: {
    status: 422,
    title: 'A Secret that a chart needs cannot be used',
    meaning:
      'The Secret that `spec.chart.secretRef` or `spec.chart.verify.secretRef` names is missing, lacks a key, or holds something else than it should. The sentence names Secret and key, and quotes nothing of it.',
    remedy:
      'Mend the key. It is tried again by itself; what is installed stays. [Operator](operator.md#private-repositories) lists the keys.',
  },
  ChartUnauthorized: {
    status: 502,
    title: 'The chart repository denied access',
    meaning:
      'A repository or registry answered 401 or 403, or wants our password sent where we do not send it. The sentence says which Secret was used, and whether it was sent at all.',
    remedy:
      'Check user and password, or the token, in the Secret that is named, and its rights at the repository. It is tried again by itself.',
  },
  ChartUnsigned: {
    status: 422,
    title: 'The chart is not signed',
    meaning:
      'The policy in `spec.chart.verify` asks for a signature, and there is none beside the chart: no `.prov` file, or no signature of cosign in the registry.',
    remedy: 'Publish the signature, or use a version that has one. Do not take the policy away to get rid of the message.',
  },
  SignatureInvalid: {
    status: 422,
    title: 'The signature of the chart is not one that is trusted',
    meaning:
      'The chart is signed by a key that is not in the Secret of `spec.chart.verify`, or the signature is about other bytes, another chart or another version. Nothing of the chart was installed.',
    remedy: 'Find out who signed it. When the publisher has a new key, get its fingerprint from them, and add the key to the Secret.',
  },
  EgressDenied: {
    status: 403,
    title: 'The egress policy refuses this address',
    meaning: 'The address, or one that it redirects to, leads to plain http, to this machine or to a private network.',
    remedy: 'Use a public https address, a folder, a mirror (`--mirror`), or open the range with `--allow-egress`.',
  },
  UpliftRefused: {
    status: 422,
    title: 'A legacy API cannot be converted without loss',
    meaning: 'The chart has a resource of an API that Kubernetes has removed, and it cannot be converted without losing something.',
    remedy: 'Use a newer chart. The condition `Uplifted` names the resource and what would be lost.',
  },
  ValuesInvalid: {
    status: 422,
    title: 'Values of the chart are not valid',
    meaning:
      'A Secret or ConfigMap that an Operator takes values from is missing, lacks the key, or holds no map of values; or the `values.schema.json` of the chart refuses the values.',
    remedy:
      'Mend the object and key that the sentence names, or set `optional` in `spec.valuesFrom`. It is tried again by itself. For what the schema refuses, change the value at the path that the sentence names, in `spec.values` or in the object that it comes from.',
  },
  HelmFailed: {
    status: 502,
    title: 'Helm could not do this',
    meaning: "Helm rendered or installed the chart and failed. The sentence is helm's own, without secrets.",
    remedy:
      'Correct the values or the chart. The controller tries again by itself, with growing pauses, or brings the last healthy revision back when `spec.upgrade.remediation` is `Rollback`.',
  },
  NamespaceReserved: {
    status: 409,
    title: 'An Operator cannot use this namespace',
    meaning:
      'The Operator, its release or an object of its chart would be in the namespace of an Environment, whose members would reach its account and its Secrets; or its release would be in `kube-system`, `kube-public` or `kube-node-lease`.',
    remedy:
      'Choose another `spec.targetNamespace`, create the Operator in another namespace, or change the values of the chart. Nothing is written meanwhile, and what runs stays.',
  },
  OperatorDeleting: {
    status: 409,
    title: 'The Operator of this app is being deleted',
    meaning:
      'An admin has deleted the Operator that runs this app, or its CRD. A new instance would be deleted with the others, or stay without anybody who looks after it.',
    remedy:
      'Choose another app, or ask an admin why the Operator is deleted. Existing instances can be changed and deleted until it is gone.',
  },
  ReleaseTooLarge: {
    status: 422,
    title: 'The release does not fit into its Secret',
    meaning:
      'Helm keeps a release in one Secret of at most 1 MiB: the templates and files of the chart, its values, and all that it renders, compressed. CRDs in `crds/` are not part of it, unless a template of the chart reads these files. Trying again does not help, so the Operator is Stalled; what runs stays. The check of a new Operator and the upgrade preview estimate the size and are `Blocked` before.',
    remedy:
      'Switch parts of the chart off by its values (dashboards and rules are often large), install its subcharts as Operators of their own, or use a chart with fewer files. `chandlery chart inspect` tells the size.',
  },
  ReleaseConflict: {
    status: 409,
    title: 'Somebody else owns this release',
    meaning: 'A Helm release of this name is there, and it is not ours.',
    remedy:
      "Choose another `releaseName`, remove the other release, or, when nobody's Operator owns it, take it over with `spec.adopt` (see the page about Operators).",
  },
  ApprovalRefused: {
    status: 409,
    title: 'This version cannot be approved',
    meaning:
      'Approving it would change nothing: it is older than what is installed or installed already, it is not in the channel of the Operator, `spec.chart.version` pins one version, or the policy `Automatic` needs no approval.',
    remedy: 'Approve a newer version of the channel, or change `spec.chart.version` or `spec.upgrade.range`. The sentence says which.',
  },
  ChangeRequestClosed: {
    status: 409,
    title: 'This request is no longer open',
    meaning: 'Somebody approved or declined it, the person who asked withdrew it, or its fourteen days are over.',
    remedy: 'Look at the plan: it says what became of it. If it is still wanted, ask for a new one from the form.',
  },
  UnsafeUpgrade: {
    status: 409,
    title: 'A new definition would not fit what is stored',
    meaning:
      'A CustomResourceDefinition of the chart takes something away that stored instances, or their manifests, hold; with `spec.upgrade.crdSafety: Strict` anything that the live one has counts. Nothing was changed.',
    remedy:
      'Use a chart that keeps what is stored, change the instances that the sentence names, or set `spec.upgrade.crdSafety: None` on the Operator when the loss is meant.',
  },
  ObjectReserved: {
    status: 409,
    title: 'The chart holds objects of Chandlery itself',
    meaning:
      'The chart defines a kind in an API group of Chandlery, holds one of its resources, or a role, binding or label by which Chandlery grants permissions. Nothing was changed.',
    remedy:
      'Take the object that the sentence names out of the chart. Operators and Environments come from people and catalogue sources, permissions from Environments ([what is reserved](operator.md#reserved-objects)).',
  },
  CrdConflict: {
    status: 409,
    title: 'Somebody else owns this kind',
    meaning:
      'A CustomResourceDefinition of this name belongs to another Operator, to a Helm release, to Chandlery, or to nobody who is known.',
    remedy:
      'Install only one of the two, or, where the kind is claimed in `spec.catalog.kinds`, take the claim off one of them. The sentence names both. Take a CRD without an owner over with `spec.adopt`.',
  },
  ActorMissing: {
    status: 500,
    title: 'A call for a user carried no user',
    meaning: "A call on somebody's behalf would have left without their user name or groups, and was stopped. This is a fault of ours.",
    remedy: 'Report it with the request id.',
  },
  Internal: {
    status: 500,
    title: 'Something went wrong on our side',
    meaning: 'Something went wrong that we did not expect. What it was is in the log, not in the answer.',
    remedy: 'Try again. If it happens again, tell an admin the request id: the log has a line with it.',
  },
} as const satisfies Record<string, ErrorRow>;

interface ErrorRow {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}
