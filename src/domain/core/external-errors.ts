/** Rows of the error table: a system that Chandlery relies on does not answer, or what a git host, forge or registry has cannot be used. */
export const EXTERNAL_ERRORS = {
  ClusterUnavailable: {
    status: 503,
    title: 'The cluster does not answer',
    meaning: 'The api-server does not answer, or not in time.',
    remedy:
      "Try again in a moment. `/readyz` shows when the cluster is available again. If the error persists, an admin checks the cluster and Chandlery's kubeconfig.",
  },
  WebhookUnavailable: {
    status: 409,
    title: 'A webhook or API service of the cluster does not answer',
    meaning:
      'The api-server has to call an admission webhook, a conversion webhook or the server of an APIService first, and that does not answer: its Service is missing or has no endpoints, the connection is refused, or the answer takes longer than `timeoutSeconds`. The message names the webhook, its configuration, its Service, and the Operator or Helm release that installed it. Nothing was changed. A preflight check is `Blocked` with the same message, and the form keeps your entries.',
    remedy:
      'An admin checks the pods of the named Service; the page of the Operator shows them. Try again when they are ready. If the chart of the configuration is uninstalled, delete the configuration. On the [embedded cluster](embedded-cluster.md#webhooks-and-api-services) no webhook of a chart ever answers.',
  },
  IssuerUnavailable: {
    status: 503,
    title: 'The identity provider does not answer',
    meaning: 'The identity provider does not answer, so sign-ins and new tokens fail. Existing sessions continue for ten minutes.',
    remedy:
      'Try again in a moment. `/readyz` lists the identity provider in `unavailable` until it answers. If the error persists, an admin checks its URL and the network.',
  },
  DatabaseUnavailable: {
    status: 503,
    title: 'The database does not answer',
    meaning:
      'The PostgreSQL database with the sessions and the audit log does not answer, or rejects the user or the certificate. Nobody can sign in, and nobody is signed out: sessions continue when it is back. Requests with a bearer token continue, and their audit events are written later.',
    remedy:
      'Try again in a moment. `/readyz` lists the database in `unavailable` until it answers. If the error persists, an admin checks the database, its URL and the network. See [replicas](administering.md#replicas).',
  },
  MonitoringUnavailable: {
    status: 502,
    title: 'Prometheus cannot be asked',
    meaning:
      'The Prometheus of an Environment or Operator does not answer, or rejects the query or the credentials. Pages and API show the message at the chart; the other charts are shown.',
    remedy:
      'An admin corrects `spec.monitoring`: the address or Service, the Secret, or the query that the message names. Open a private address with `--allow-egress`. See [monitoring](monitoring.md).',
  },
  ServerUnavailable: {
    status: 502,
    title: 'The Chandlery server does not answer',
    meaning: 'The command line reached no Chandlery server at the URL, or its answer is not that of one.',
    remedy: 'Check the URL of `--server` in a browser. For a certificate of your own authority use `--certificate-authority FILE`.',
  },
  GitUnavailable: {
    status: 502,
    title: 'The git repository cannot be read',
    meaning:
      'The repository of a CatalogSource does not answer, rejects the credentials, or has no such ref or folder. Nothing was deleted.',
    remedy:
      'Correct what the message names in `spec.git` or in its Secret. The source tries again after 15 seconds. See [catalogue sources](catalog-source.md#git).',
  },
  ArtifactUnavailable: {
    status: 502,
    title: 'The OCI artifact cannot be read',
    meaning:
      'The registry of a CatalogSource does not answer, rejects the credentials, or has no such tag, or what it has is no archive within the limits. Nothing was deleted.',
    remedy:
      'Correct what the message names in `spec.oci` or in its Secret. The source tries again after 15 seconds. See [catalogue sources](catalog-source.md#oci-artifacts).',
  },
  ChartUnsigned: {
    status: 422,
    title: 'The chart is not signed',
    meaning: '`spec.chart.verify` requires a signature, and the chart has none: no `.prov` file, or no cosign signature in the registry.',
    remedy: 'Publish the signature, or use a signed version. Do not remove `verify` to suppress the message.',
  },
  SignatureInvalid: {
    status: 422,
    title: 'The signature of the chart is not trusted',
    meaning:
      'The chart is signed by a key that is not in the Secret of `spec.chart.verify`, or the signature is for other bytes, another chart or another version. Nothing of the chart was installed.',
    remedy: 'Find out who signed the chart. If the publisher has a new key, ask them for its fingerprint, and add the key to the Secret.',
  },
  VerificationFailed: {
    status: 422,
    title: 'The signature of the source is missing or not trusted',
    meaning:
      'A revision of a CatalogSource is not signed, or by a key that is not in the Secret of its `verify`. Nothing of the revision was applied, and nothing was deleted.',
    remedy:
      'Find out who made the revision. Sign it, or add the public key to the Secret. See [signed revisions](catalog-source.md#signed-revisions).',
  },
  ForgeUnavailable: {
    status: 502,
    title: 'The git host rejected the proposal',
    meaning:
      'The forge of a CatalogSource does not answer, or rejects the credentials, the branch or the merge request. Nothing was written to the cluster.',
    remedy:
      'An admin corrects what the message names: `spec.git.forge`, or the token in its Secret, which must be allowed to push branches and to read and write merge requests. If the branch was pushed, propose again: each proposal has a branch of its own. See [proposals](git-proposals.md).',
  },
  ProposalImpossible: {
    status: 422,
    title: 'The change cannot be proposed',
    meaning:
      'The repository has no place for the change: no file has the document, a kustomization generates it, the source applies no such kind there, or a sensitive value would get into git.',
    remedy:
      'Do what the message says, choose another source, or change the file by hand. See [proposals](git-proposals.md#which-file-changes).',
  },
} as const;
