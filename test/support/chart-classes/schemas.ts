import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { chartClass, subchart, SUBCHART_MAP, VALUES_MAP } from './chart-class.ts';
import type { ChartClass } from './chart-class.ts';

/** A chart with a schema. */
function withSchema(
  name: string,
  about: string,
  parts: { readonly values: string; readonly schema: object } & Partial<Pick<ChartClass, 'outcome'>>,
): ChartClass {
  const { schema, ...rest } = parts;
  return chartClass(name, about, {
    ...rest,
    files: { 'values.schema.json': stringifyJson(schema), 'templates/values.yaml': VALUES_MAP },
  });
}

/** Charts whose schemas are of every draft, partial, or about values that are not there. */
export const SCHEMAS = [
  withSchema('null-default', 'Its own values have nulls, which its schema does not take', {
    values: 'name:\nstorageClass: null\nport: 80\n',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { name: { type: 'string' }, storageClass: { type: 'string' }, port: { type: 'integer' } },
    },
  }),
  withSchema('partial-schema', 'Its schema speaks of 2 of 14 values', {
    values: `## @param auth.username Name of the first user
## @param auth.password Password of the first user
auth: {username: user, password: ''}
replicaCount: 1
ingress: {enabled: false, hostname: app.local, tls: false, annotations: {}}
persistence: {enabled: true, size: 8Gi, storageClass: ''}
resources: {}
nodeSelector: {}
tolerations: []
`,
    schema: {
      $schema: 'http://json-schema.org/schema#',
      properties: { auth: { type: 'object', properties: { username: { type: 'string' } } }, replicaCount: { type: 'integer' } },
    },
  }),
  withSchema('conditional-schema', 'Its schema has conditions and alternatives', {
    values: 'mode: single\nreplicas: 1\nstorage: {size: 1Gi}\n',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: {
        mode: { enum: ['single', 'cluster'] },
        replicas: { type: 'integer' },
        storage: { oneOf: [{ required: ['size'] }, { required: ['existingClaim'] }] },
      },
      allOf: [{ if: { properties: { mode: { const: 'cluster' } } }, ...JSON.parse('{"then":{"properties":{"replicas":{"minimum":3}}}}') }],
    },
  }),
  withSchema('regular-expressions', 'Its patterns are of the dialect of Go', {
    values: 'level: INFO\nhost: a\n',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { level: { type: 'string', pattern: '(?i)^(debug|info|warn)$' }, host: { type: 'string', pattern: '^[\\p{L}0-9-]+$' } },
    },
  }),
  withSchema('draft-four', 'Its schema is of draft 4, with limits excluded by a flag', {
    values: 'port: 80\nratio: 0.5\n',
    schema: {
      $schema: 'http://json-schema.org/draft-04/schema#',
      definitions: { port: { type: 'integer', minimum: 0, exclusiveMinimum: true } },
      properties: { port: { $ref: '#/definitions/port' }, ratio: { type: 'number' } },
    },
  }),
  withSchema('newest-draft', 'Its schema is of draft 2020-12, and closed', {
    values: 'port: 80\nhosts: [a]\n',
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { port: { type: 'integer' } },
      properties: { port: { $ref: '#/$defs/port' }, hosts: { type: 'array', items: { type: 'string' } } },
      unevaluatedProperties: false,
    },
  }),
  withSchema('invalid-defaults', 'Its own values violate its schema: somebody has to set one', {
    values: 'passcode: ""\n',
    schema: { properties: { passcode: { type: 'string', minLength: 1 } } },
    outcome: 'does not install',
  }),
  chartClass('closed-subchart', 'Its subchart allows no other values, and gets globals', {
    chart: 'dependencies:\n  - {name: lib, version: 1.0.0}\n',
    values: 'global: {zone: a}\nlib: {size: 2}\n',
    files: subchart('lib', 'size: 1\n', {
      'values.schema.json':
        '{"type":"object","additionalProperties":false,"properties":{"size":{"type":"integer"},"global":{"type":"object"}}}',
      'templates/a.yaml': SUBCHART_MAP,
    }),
  }),
];
