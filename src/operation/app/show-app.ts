import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { App } from '../../domain/app/app.ts';
import { type CatalogEntry, schemaOf, versionsOf, withChartDescription } from '../../domain/catalog/app-catalog.ts';
import { parseReferences } from '../../domain/catalog/app-references.ts';
import { suggestedFields } from '../../domain/catalog/suggested-fields.ts';
import { contentOf } from '../../domain/instance/instance-content.ts';
import { at, isObject, objectAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { chartValuesOf } from '../instance/chart-values.ts';
import { embedChartValues } from '../../schema/embed-chart-values.ts';
import { appSummaries, chartDescription, entriesFor, findApp } from './find-app.ts';
import { maskContent } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { coverage, type Coverage } from '../../form/model/coverage.ts';
import type { FormModel, FormNode } from '../../form/model/form-node.ts';
import { placedForm } from '../../form/model/app-form.ts';
import { holdsSecrets } from '../../form/view/value-words.ts';
import { showEnvironment } from '../environment/find-environment.ts';

/** One App with its README, schema, versions and siblings. Values that are sensitive are masked. */
export async function showApp(ports: Pick<Ports, 'catalog' | 'chart' | 'chartValues'>, actor: Actor, id: string): Promise<App> {
  const entry = findApp(ports, actor, id);
  const { operator, crd, kindBlock } = entry;
  const words = await chartDescription(ports, entry);
  const summary = withChartDescription(entry.summary, words);
  const entries = entriesFor(ports, actor);
  const siblings = entries.filter((other) => other.operator === operator && other.crd !== crd);
  const others = entries.filter((other) => other.operator !== operator);
  const example = exampleOf(entry);
  return {
    ...summary,
    readme: words?.readme ?? '',
    versions: versionsOf(crd),
    relatedApps: await appSummaries(ports, siblings),
    ...(await formSchemaOf(ports, entry)),
    fields: kindBlock.fields,
    suggestedFields: suggestedFields(crd, summary.version, words?.readme ?? ''),
    ...(example === undefined ? {} : { example }),
    usage: kindBlock.usage,
    defaults: maskContent(entry, kindBlock.defaults),
    locked: kindBlock.locked,
    sensitive: kindBlock.sensitive,
    references: parseReferences(kindBlock, ports.catalog.customResourceDefinitions()),
    otherKinds: others.map(({ summary: { group, plural, kind } }) => ({ group, plural, kind })),
    presets: kindBlock.presets.map((preset) => ({ ...preset, values: maskContent(entry, preset.values) })),
  };
}

/** The schema of its kind; for a chart that is offered as an app with the chart's own schema for the values, which says more than a CRD can. */
async function formSchemaOf(ports: Pick<Ports, 'chartValues'>, entry: CatalogEntry): Promise<Pick<App, 'schema' | 'hints'>> {
  const schema = schemaOf(entry.crd, entry.summary.version);
  const chart = await chartValuesOf(ports, entry);
  if (chart === undefined) return { schema };
  const { hints } = chart.values;
  return { schema: embedChartValues(schema, chart.values), ...(hints === undefined ? {} : { hints }) };
}

/** The example is written as a `spec` or as a whole object; here it is always a whole object, with stand-ins for what is sensitive. */
function exampleOf(entry: CatalogEntry): KubeObject | undefined {
  const { kindBlock, summary } = entry;
  const { example } = kindBlock;
  if (example === undefined) return undefined;
  const { metadata, ...members } = maskContent(entry, isWhole(example) ? contentOf(example) : { spec: example });
  const head = { apiVersion: `${summary.group}/${summary.version}`, kind: summary.kind };
  return { ...head, metadata: { ...objectAt(metadata), name: 'example' }, ...members };
}

function isWhole(example: object): boolean {
  return (
    isObject(at(example, 'spec')) ||
    isObject(at(example, 'metadata')) ||
    (at(example, 'apiVersion') !== undefined && at(example, 'kind') !== undefined)
  );
}

/** The form for a new instance of an App as plain data, and how the schema's leaves are reached by it. */
interface AppForm extends Omit<FormModel, 'sensitive'> {
  readonly app: string;
  /** The version of the kind whose schema it is. */
  readonly version: string;
  readonly coverage: Coverage;
}

/** Which form is asked for: that of an App's id, in an environment; empty: anywhere. */
interface FormQuery {
  readonly app: string;
  readonly environment: string;
}

/** @throws AppError `NotFound` as `findApp` and `showEnvironment`. */
export async function showForm(
  ports: Pick<Ports, 'catalog' | 'chart' | 'chartValues' | 'clusters'>,
  actor: Actor,
  { app: id, environment }: FormQuery,
): Promise<AppForm> {
  const app = await showApp(ports, actor, id);
  const { sensitive, ...model } = placedForm(
    app,
    'create',
    environment === '' ? undefined : await showEnvironment(ports, actor, environment),
  );
  const root = withoutSecrets(model.root) as FormModel['root'];
  return { app: app.id, version: app.version, ...model, root, coverage: coverage(contentSchema(app.schema), { ...model, sensitive }) };
}

/** Defaults that are secrets are for new instances, not for eyes. */
function withoutSecrets(node: FormNode): FormNode {
  const { fallback, fallbackSource: _source, ...rest } = node;
  const own = (fallback !== undefined && holdsSecrets(node, fallback) ? rest : node) as FormNode;
  if (own.kind === 'group') return { ...own, children: own.children.map(withoutSecrets) };
  if (own.kind === 'list') return { ...own, item: withoutSecrets(own.item) };
  if (own.kind === 'map') return { ...own, value: withoutSecrets(own.value) };
  if (own.kind !== 'choice') return own;
  return { ...own, branches: own.branches.map((branch) => ({ ...branch, node: withoutSecrets(branch.node) as typeof branch.node })) };
}
