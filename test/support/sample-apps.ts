import type { App, AppSummary } from '../../src/domain/app/app.ts';
import type { Preset } from '../../src/domain/operator/kind/catalog-fields.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['instances', 'storage'],
      properties: {
        instances: {
          type: 'integer',
          minimum: 1,
          maximum: 5,
          default: 1,
          description: 'Servers that hold the data. Three survive the loss of one.',
        },
        version: { type: 'string', enum: ['15', '16', '17'], default: '17', description: 'Major version of PostgreSQL.' },
        storage: {
          type: 'object',
          description: 'The volume of each server.',
          required: ['size'],
          properties: {
            size: {
              type: 'string',
              pattern: String.raw`^\d+(Mi|Gi)$`,
              default: '10Gi',
              description: 'Size of the volume. It can grow later, never shrink.',
            },
            className: { type: 'string', description: 'Storage class; the default class of the cluster when empty.' },
          },
        },
        users: {
          type: 'array',
          description: 'People and programs that may connect.',
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', description: 'Name of the role.' },
              superuser: { type: 'boolean', default: false, description: 'May do everything.' },
            },
          },
        },
        labels: { type: 'object', additionalProperties: { type: 'string' }, description: 'Labels on every pod.' },
        password: { type: 'string', format: 'password', description: 'Password of the owner.' },
        port: { 'x-kubernetes-int-or-string': true, default: 5432, description: 'Port of the service.' },
      },
    },
    status: { type: 'object' },
  },
};

const PRESETS: readonly Preset[] = [
  {
    name: 'small',
    title: 'Small',
    summary: 'One server for trying things out.',
    values: { spec: { instances: 1, storage: { size: '1Gi' } } },
  },
  {
    name: 'production',
    title: 'Production',
    summary: 'Three servers, so that one may fail.',
    values: { spec: { instances: 3, storage: { size: '20Gi' }, users: [{ name: 'app' }] } },
  },
];

const README = `# PostgreSQL\n\nA **PostgreSQL** server with storage, users and backups.\n\n## Connecting\n\n\`\`\`sh\npsql "host=orders-rw user=app dbname=app"\n\`\`\`\n\n| Size | For |\n|---|---|\n| 1 server | trying things out |\n| 3 servers | production |\n\n- [Home page](https://www.postgresql.org/)\n- [A trap](javascript:alert(1))\n\n<script>alert(1)</script>\n`;

const BASE: AppSummary = {
  id: 'postgresclusters.samples.chandlery.dev',
  kind: 'PostgresCluster',
  group: 'samples.chandlery.dev',
  version: 'v1',
  plural: 'postgresclusters',
  displayName: 'PostgreSQL',
  summary: 'A relational database with replicas, users and nightly backups.',
  category: 'Databases',
  provider: 'Platform team',
  tags: ['sql', 'database'],
  chartVersion: '1.4.0',
  appVersion: '17.2',
  availability: 'Available',
  availabilityMessage: '',
  operator: { namespace: 'chandlery-system', name: 'postgres-operator' },
};

/** Four Apps in every state that a card can be in. */
export const SAMPLE_APPS: readonly AppSummary[] = [
  BASE,
  {
    ...BASE,
    id: 'caches.samples.chandlery.dev',
    kind: 'Cache',
    plural: 'caches',
    displayName: 'Cache',
    summary: 'An in-memory store for sessions, queues and whatever must be fast.',
    category: 'Caches',
    tags: ['redis', 'valkey'],
    appVersion: '8.0',
    operator: { namespace: 'chandlery-system', name: 'cache-operator' },
  },
  {
    ...BASE,
    id: 'moodles.moodlecontroller.kubeplus',
    kind: 'Moodle',
    group: 'moodlecontroller.kubeplus',
    plural: 'moodles',
    displayName: 'Moodle',
    summary: 'A learning platform for courses, with plugins.',
    category: 'Websites',
    provider: 'CloudARK',
    tags: [],
    availability: 'Installing',
    availabilityMessage: 'Its Operator is being installed.',
    operator: { namespace: 'default', name: 'moodle-operator' },
  },
  {
    ...BASE,
    id: 'queues.example.test',
    kind: 'Queue',
    group: 'example.test',
    plural: 'queues',
    displayName: 'Message queue with a rather long display name for a card',
    summary: 'Durable messages between services.',
    category: 'Messaging',
    provider: 'Example Ltd.',
    tags: [],
    availability: 'Unavailable',
    availabilityMessage: 'The chart cannot be fetched: charts.example.test answers 404.',
    operator: { namespace: 'default', name: 'queue-operator' },
  },
];

export function sampleApp(id: string): App | undefined {
  const summary = SAMPLE_APPS.find((app) => app.id === id);
  return (
    summary && {
      ...summary,
      readme: README,
      versions: [
        { name: 'v1', served: true, storage: true, deprecated: false },
        { name: 'v1beta1', served: true, storage: false, deprecated: true },
      ],
      relatedApps: id === BASE.id ? SAMPLE_APPS.slice(1, 2) : [],
      schema: SCHEMA,
      fields: ['spec.instances', 'spec.storage.size', 'spec.users'],
      usage:
        'Connect to the service `{name}-rw` in the namespace `{namespace}`, port 5432.\n\n```sh\nkubectl port-forward --namespace {namespace} service/{name}-rw 5432\n```',
      defaults: {},
      locked: ['spec.port'],
      presets: PRESETS,
    }
  );
}
