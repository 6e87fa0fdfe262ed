/** Rows of the error table: something that Chandlery relies on does not answer. */
export const AVAILABILITY_ERRORS = {
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
} as const;
