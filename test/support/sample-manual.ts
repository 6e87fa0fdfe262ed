import { AppError } from '../../src/domain/core/errors.ts';
import type { App } from '../../src/domain/app/app.ts';
import type { Manual } from '../../src/operation/app/describe-app.ts';
import type { Explanation, FieldFact } from '../../src/operation/app/explain-app.ts';
import type { Operations } from '../../src/operation/operations.ts';
import { page, type SamplePage } from './sample-page.ts';

const FIELDS: readonly FieldFact[] = [
  {
    field: 'spec.storage',
    type: 'object',
    required: true,
    description: 'The volumes.\nOne for each server.',
    rules: ['immutable'],
    children: 1,
  },
  { field: 'spec.instances', type: 'integer', required: false, description: '', default: 1, rules: ['minimum=1'], children: 0 },
];
const SIZE: FieldFact = {
  field: 'spec.storage.size',
  type: 'quantity',
  required: true,
  description: 'How large each volume is.',
  default: '1Gi',
  rules: [],
  children: 0,
};

/** The operations of manual pages, as they describe the sample apps. */
export function sampleManuals(find: (id: string) => App): Pick<Operations, 'showManual' | 'explainApp'> {
  return {
    showManual: async (_actor, { kind: id }) => manualOf(find(id)),
    explainApp: async (_actor, { kind: id, field }) => explanationOf(find(id), field),
  };
}

function manualOf(app: App): Manual {
  const { id, kind, group, version, displayName, summary, category, provider, availability, usage, readme, presets } = app;
  return {
    app: id,
    kind,
    group,
    version,
    displayName,
    summary,
    category,
    provider,
    availability,
    usage,
    readme,
    kindUsage: { text: '', configMap: { name: 'docs/usage', key: 'text' }, reason: 'you may not read the ConfigMap' },
    fields: FIELDS,
    outputs: [
      { name: 'password', label: 'Password', description: 'Of the owner.', source: 'Secret', from: '{name}-app, key password' },
      { name: 'host', label: 'Host', description: '', source: 'Service', from: '{name}-rw' },
    ],
    presets: presets.map(({ name, title }) => ({ name, title })),
    composition: ['StatefulSet', 'Service'],
    relations: [{ by: 'Field', kinds: ['Secret'], path: 'spec.secretName' }],
    faults: [{ annotation: 'resource/label-relationship', message: 'key: it is not the name of a label' }],
  };
}

function explanationOf({ id, kind, group, version }: App, field: string): Explanation {
  const found = [...FIELDS, SIZE].find((one) => one.field === field);
  if (found === undefined) throw new AppError('NotFound', `${id}: there is no field ${field}`);
  return { app: id, kind, group, version, ...found, fields: field === 'spec.storage' ? [SIZE] : [] };
}

/** The reference of a sample app in its states. */
export const MANUAL_PAGES: readonly SamplePage[] = [
  page('/apps/postgresclusters.samples.chandlery.dev/reference', 'dev-a', {
    title: 'Reference of PostgreSQL',
    holds: [
      'reference?field&#x3D;spec.storage',
      '{name}-app, key password',
      'spec.secretName is the name of a Secret',
      'you may not read the ConfigMap',
    ],
  }),
  page('/apps/postgresclusters.samples.chandlery.dev/reference?field=spec.storage', 'dev-a', {
    title: 'spec.storage of PostgreSQL',
    holds: ['One for each server.', 'spec.storage.size', '1Gi'],
  }),
];
