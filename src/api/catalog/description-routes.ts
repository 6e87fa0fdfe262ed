import { textAt } from '../../domain/core/read.ts';
import type { Composition, Manual } from '../../operation/app/describe-app.ts';
import { compositionText, explanationText, manualText } from '../../operation/app/description-text.ts';
import type { Explanation } from '../../operation/app/explain-app.ts';
import type { KindQuery } from '../../operation/app/find-app.ts';
import { type Call, type JsonSchema, type Route, TEXT_QUERY } from '../route.ts';
import { anything, flag, integer, list, object, ref, text } from '../schema-parts.ts';

const GROUP_QUERY = {
  group: { ...text, maxLength: 253, default: '', description: 'The API group of the kind, where several apps have it; default: any' },
} as const;

/** What an app is, what its fields are and what its instances are composed of, for programs and as text for people. */
export const DESCRIPTION_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/kinds/{kind}/man',
    operationId: 'showManual',
    summary: 'Get the manual page of an app: what it is, its usage, fields, outputs, example and README',
    tag: 'Catalogue',
    query: { ...GROUP_QUERY, ...TEXT_QUERY },
    replies: { 200: { description: 'The manual page', schema: ref('Manual') } },
    handle: async (call) => ({ status: 200, body: await manual(call) }),
    text: async (call) => manualText(await manual(call)),
  },
  {
    method: 'get',
    path: '/kinds/{kind}/explain',
    operationId: 'explainApp',
    summary: 'Get a field of an app and the fields below it: type, description, default and rules',
    tag: 'Catalogue',
    query: {
      ...GROUP_QUERY,
      field: {
        ...text,
        maxLength: 2000,
        default: '',
        description: 'A path such as `spec.users[0].name`; rows can be left out: `spec.users.name`. Default: the resource itself',
      },
      recursive: { ...flag, default: false, description: 'All fields below it, not only those right below' },
      environment: { ...text, maxLength: 253, default: '', description: 'The environment whose values and locks apply' },
      ...TEXT_QUERY,
    },
    replies: { 200: { description: 'The field', schema: ref('Explanation') } },
    handle: async (call) => ({ status: 200, body: await explanation(call) }),
    text: async (call) => explanationText(await explanation(call)),
  },
  {
    method: 'get',
    path: '/kinds/{kind}/composition',
    operationId: 'showComposition',
    summary: 'Get the kinds of resources that the instances of an app are composed of, and the trees of up to ten of them',
    tag: 'Catalogue',
    query: {
      ...GROUP_QUERY,
      environment: { ...text, maxLength: 253, default: '', description: 'Only instances of this environment' },
      instance: { ...text, maxLength: 253, default: '', description: 'Only the instance of this name' },
      ...TEXT_QUERY,
    },
    replies: { 200: { description: 'The composition', schema: ref('Composition') } },
    handle: async (call) => ({ status: 200, body: await composition(call) }),
    text: async (call) => compositionText(await composition(call)),
  },
];

async function manual(call: Call): Promise<Manual> {
  return await call.operations.showManual(call.actor, kindOf(call));
}

async function explanation(call: Call): Promise<Explanation> {
  const { operations, actor, query } = call;
  const [field = '', environment = ''] = [textAt(query, 'field'), textAt(query, 'environment')];
  const depth = query['recursive'] === true ? { depth: 'All' as const } : {};
  return await operations.explainApp(actor, { ...kindOf(call), field, environment, ...depth });
}

async function composition(call: Call): Promise<Composition> {
  const { operations, actor, query } = call;
  const [environment = '', instance = ''] = [textAt(query, 'environment'), textAt(query, 'instance')];
  return await operations.showComposition(actor, { ...kindOf(call), environment, instance });
}

function kindOf({ params, query }: Call): KindQuery {
  return { kind: params['kind'] ?? '', group: textAt(query, 'group') ?? '' };
}

const fact = {
  field: { ...text, description: 'The path; `[*]` stands for the rows of a list or map' },
  type: { ...text, examples: ['object', 'list of object', 'quantity'] },
  required: flag,
  description: { ...text, description: 'Plain text; empty when the schema says nothing' },
  rules: { ...list(text), examples: [['immutable', 'minimum=1', 'one of small|large']] },
  children: { ...integer, description: 'The number of fields right below it' },
};
const optionalFact = { default: { description: 'Absent for secrets, and where there is none' } };
const head = { app: text, kind: text, group: text, version: text };
const fault = object({ annotation: text, message: text });

const MANUAL_MEMBERS =
  'displayName summary category provider availability usage fields outputs presets composition relations faults readme'.split(' ');

/** Schemas of descriptions of apps. */
export const DESCRIPTION_SCHEMAS = {
  FieldFact: { ...object({ ...fact, ...optionalFact }, Object.keys(fact)), description: 'A field of an app' },
  Explanation: object({ ...head, ...fact, ...optionalFact, fields: list({ $ref: '#/components/schemas/FieldFact' }) }, [
    ...Object.keys(head),
    ...Object.keys(fact),
    'fields',
  ]),
  Manual: object(
    {
      ...head,
      displayName: text,
      summary: text,
      category: text,
      provider: text,
      availability: { enum: ['Available', 'Installing', 'Unavailable'] },
      chartVersion: text,
      appVersion: text,
      docsURL: text,
      usage: { ...text, description: 'Markdown of the catalogue' },
      kindUsage: {
        ...object({ text, configMap: object({ name: text, key: text }), reason: text }, ['text']),
        description: 'Of the annotation `resource/usage` of the CRD; `reason`: why the text of the ConfigMap is not there',
      },
      fields: list({ $ref: '#/components/schemas/FieldFact' }),
      outputs: {
        ...list(
          object({ name: text, label: text, description: text, source: { enum: ['Value', 'Field', 'Secret', 'Service'] }, from: text }),
        ),
        description: 'The connection keys of an instance, which other instances can take by `spec.valuesFrom`; `from` has placeholders',
      },
      presets: list(object({ name: text, title: text })),
      example: anything,
      composition: { ...list(text), description: 'The kinds that the CRD declares by `resource/composition`' },
      relations: {
        ...list(
          object(
            {
              by: { enum: ['Label', 'Annotation', 'Field'] },
              kinds: list(text),
              key: text,
              value: object({ before: text, after: text, match: { enum: ['Exact', 'Contains'] } }),
              path: text,
            },
            ['by', 'kinds'],
          ),
        ),
        description: 'How the CRD says that objects of other kinds are related to an instance',
      },
      faults: { ...list(fault), description: 'Annotations of the CRD that cannot be used' },
      readme: { ...text, description: 'Markdown of the chart' },
    },
    [...Object.keys(head), ...MANUAL_MEMBERS],
  ),
  ComposedNode: object(
    { apiVersion: text, kind: text, name: text, status: text, children: list({ $ref: '#/components/schemas/ComposedNode' }) },
    ['apiVersion', 'kind', 'name', 'children'],
  ),
  Composition: object({
    ...head,
    resources: list(object({ kind: text, apiVersion: text, declared: flag, count: integer }, ['kind', 'declared', 'count'])),
    instances: list(object({ environment: text, name: text, status: text, root: { $ref: '#/components/schemas/ComposedNode' } })),
    more: { ...flag, description: 'There may be further instances, which were not read' },
    unreadable: { ...list(text), description: 'Kinds that you may not list' },
    faults: list(fault),
  }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
