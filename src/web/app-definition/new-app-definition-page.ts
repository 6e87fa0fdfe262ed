import type { ErrorCode, FieldFault } from '../../domain/core/errors.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { ChartPreview, ChartQuery } from '../../operation/app-definition/preview-chart.ts';
import { type CheckedOperator, newOperatorPage } from '../operator/new-operator-page.ts';
import { renderMarkdown } from '../page/markdown.ts';
import { NEW_APP_DEFINITION_PATH } from '../page/paths.ts';
import type { SafeHtml } from '../page/safe-html.ts';
import { yamlText } from '../page/yaml-text.ts';

/** A view of `app-definitions/new`: where the chart is, what it is, and the file that offers it. */
export interface NewAppDefinitionPage {
  readonly query: ChartQuery;
  readonly errors: readonly { readonly message: string; readonly href: string }[];
  readonly faults: Readonly<Record<'repoURL' | 'name' | 'manifest', string>>;
  /** Absent before a chart was fetched. */
  readonly chart?: ChartPart;
  /** Empty before there is a file. */
  readonly text: string;
  /** Absent before it was checked. */
  readonly checked?: CheckedOperator;
}

interface ChartPart extends Pick<ChartPreview, 'name' | 'version' | 'description' | 'deprecated' | 'faults' | 'images'> {
  readonly facts: readonly { readonly term: string; readonly text: string }[];
  readonly versions: readonly { readonly version: string; readonly href: string; readonly current: boolean }[];
  readonly readme?: SafeHtml;
}

/** What is said of the chart on the page, and not on a page of errors. */
export const CHART_FAULTS: readonly ErrorCode[] = [
  'ChartUnreachable',
  'ChartNotFound',
  'ChartInvalid',
  'ChartTooLarge',
  'ChartCacheFull',
  'ChartSecretInvalid',
  'ChartUnauthorized',
  'ChartUnsigned',
  'EgressDenied',
  'InvalidInput',
];

const FIELDS = ['repoURL', 'name', 'version', 'secret'] as const;
const MAX_LENGTH = 2048;

export function parseChartQuery(parameters: URLSearchParams): ChartQuery {
  const [repoURL = '', name = '', version = '', secret = ''] = FIELDS.map((field) =>
    (parameters.get(field) ?? '').trim().slice(0, MAX_LENGTH),
  );
  return { repoURL, name, version, secret };
}

/** Whether an address asks for a chart. */
export function isAsked(parameters: URLSearchParams): boolean {
  return parameters.has('repoURL') && parameters.has('name');
}

interface Outcome {
  readonly chart?: ChartPreview;
  readonly text?: string;
  readonly faults?: readonly FieldFault[];
  readonly preflight?: Preflight;
}

export function newAppDefinitionPage(query: ChartQuery, { chart, text = '', faults = [], preflight }: Outcome = {}): NewAppDefinitionPage {
  const faultOf = (field: string): string => faults.find((fault) => fault.field === field)?.message ?? '';
  const checked = preflight === undefined ? undefined : newOperatorPage(text, { preflight }).checked;
  return {
    query,
    errors: faults.map(({ field = '', message }) => ({ message, href: `#${field}` })),
    faults: { repoURL: faultOf('repoURL'), name: faultOf('name'), manifest: faultOf('manifest') },
    ...(chart === undefined ? {} : { chart: chartPart(chart, query) }),
    text,
    ...(checked === undefined ? {} : { checked }),
  };
}

function chartPart(chart: ChartPreview, query: ChartQuery): ChartPart {
  const { name, version, description, deprecated, faults, images, versions, readme } = chart;
  const objects = chart.objects.map(({ kind, count }) => (count === 1 ? kind : `${count} ${kind}`)).join(', ');
  const facts = [
    { term: 'Version', text: version },
    { term: 'App version', text: chart.appVersion },
    { term: 'Kubernetes', text: chart.kubeVersion === '' ? 'any version' : chart.kubeVersion },
    { term: 'Values', text: chart.schema === 'values.yaml' ? 'no schema; the form is inferred from values.yaml' : 'values.schema.json' },
    { term: 'Objects', text: objects },
    { term: 'Home', text: chart.home },
    { term: 'Digest', text: chart.digest },
  ].filter(({ text }) => text !== '');
  return {
    name,
    version,
    description,
    deprecated,
    faults,
    images,
    facts,
    versions: versions.map((one) => ({ version: one, href: hrefOf({ ...query, version: one }), current: one === version })),
    ...(readme.trim() === '' ? {} : { readme: renderMarkdown(readme) }),
  };
}

function hrefOf(query: ChartQuery): string {
  const given = FIELDS.flatMap((field): [string, string][] => (query[field] === '' ? [] : [[field, query[field]]]));
  return `${NEW_APP_DEFINITION_PATH}?${new URLSearchParams(given).toString()}`;
}

/** The file that offers the chart. What it leaves open has a good default. */
export function definitionOf({ repoURL, name, version, description, keywords }: ChartPreview, { secret }: ChartQuery): string {
  const words = name.replaceAll(/[-_.]+/g, ' ').trim();
  const summary = description.slice(0, 300);
  return yamlText({
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'AppDefinition',
    metadata: { name: name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-') },
    spec: {
      chart: { repoURL, name, version, ...(secret === '' ? {} : { secretRef: { name: secret } }) },
      catalog: {
        displayName: words.charAt(0).toUpperCase() + words.slice(1),
        ...(summary === '' ? {} : { summary }),
        category: 'Other',
        ...(keywords.length === 0 ? {} : { tags: keywords.slice(0, 20).map((word) => word.slice(0, 40)) }),
      },
    },
  });
}
