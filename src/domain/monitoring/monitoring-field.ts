import { choice, integer, list, number, object, optional, orEmpty, text, type ValueOf } from '../kind/field.ts';
import { secretRefField } from '../kind/secret-ref.ts';

/** What a value of a query is counted in; decides how the pages write it. */
export const METRIC_UNITS = ['Count', 'PerSecond', 'Bytes', 'BytesPerSecond', 'Seconds', 'Cores', 'Percent', 'Ratio'] as const;
export type MetricUnit = (typeof METRIC_UNITS)[number];

const service = object(
  {
    namespace: text({ description: 'The namespace of the Service.', minLength: 1, maxLength: 63 }),
    name: text({ description: 'The name of the Service.', minLength: 1, maxLength: 63 }),
    port: integer({ description: 'The number of the port.', default: 9090, minimum: 1, maximum: 65_535 }),
    scheme: choice(['http', 'https'], { description: 'The protocol of the port.', default: 'http' }),
  },
  {
    description: 'The Service of a Prometheus in this cluster, reached by its name in the cluster. Exclusive with url.',
    rules: [
      {
        rule: "self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && self.__namespace__.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
        message: 'name and namespace must be those of a Service',
      },
    ],
  },
);

/** @param secretNamespace as of `monitoringField`. */
export const prometheusField = (secretNamespace: string) =>
  object(
    {
      url: optional(
        text({
          description:
            'The address of a Prometheus, or of anything else that answers its API, without the path /api/v1. Exclusive with service.',
          maxLength: 2048,
          rules: [
            { rule: "isURL(self) && url(self).getScheme() in ['http', 'https']", message: 'must be an http or https address' },
            {
              rule: "!isURL(self) || !self.matches('^[a-z]+://[^/]*@')",
              message: 'an address must not hold a user or password; put them into a Secret and name it in secretRef',
            },
          ],
        }),
      ),
      service: optional(service),
      secretRef: optional(
        secretRefField(
          `A Secret in ${secretNamespace} with the credentials of the Prometheus. Its keys are username and password, or bearerToken; for TLS ca.crt, tls.crt and tls.key.`,
        ),
      ),
    },
    {
      description: 'The Prometheus that is asked.',
      rules: [{ rule: 'has(self.url) != has(self.service)', message: 'set either url or service' }],
    },
  );

const threshold = object(
  {
    value: number({ description: 'Values above it are marked.' }),
    severity: choice(['Warning', 'Critical'], { description: 'How they are marked.', default: 'Warning' }),
  },
  {},
);

const query = object(
  {
    title: text({ description: 'The heading of the chart.', minLength: 1, maxLength: 100 }),
    query: text({
      description:
        'PromQL. $namespace is the namespace of the environment, or the target namespace of the Operator; $environment the name of the environment; $release the Helm release of the Operator; $interval a duration for rate() that fits the chosen range.',
      minLength: 1,
      maxLength: 4096,
    }),
    unit: choice(METRIC_UNITS, { description: 'What the values are counted in. Percent is of 100, Ratio of 1.', default: 'Count' }),
    legend: orEmpty(
      text({
        description: 'The name of each series, with labels in double braces, for example {{pod}}. Default: all labels.',
        maxLength: 200,
      }),
    ),
    description: orEmpty(text({ description: 'A sentence about the chart.', maxLength: 500 })),
    thresholds: orEmpty(list(threshold, { description: 'Lines across the chart.', maxItems: 5 })),
  },
  {},
);

export const queriesField = orEmpty(list(query, { description: 'A chart each, in this order.', maxItems: 20, merge: { by: 'title' } }));

/**
 * `spec.monitoring`: a Prometheus and the queries whose answers the pages draw.
 *
 * @param secretNamespace where its Secret is, in words: `the namespace of the Operator`.
 */
export const monitoringField = (secretNamespace: string) =>
  object(
    {
      prometheus: prometheusField(secretNamespace),
      queries: queriesField,
    },
    { description: 'A Prometheus and the queries that the tab Monitoring draws.' },
  );

export type Monitoring = ValueOf<ReturnType<typeof monitoringField>>;
export type MetricQuery = Monitoring['queries'][number];
