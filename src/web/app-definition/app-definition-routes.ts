import { Router } from 'express';
import { type ErrorCode, type FieldFault, isAppError } from '../../domain/core/errors.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { ChartPreview, ChartQuery } from '../../operation/app-definition/preview-chart.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { createLongWork, type WorkWords } from '../page/long-work.ts';
import { renderMarkdown } from '../page/markdown.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { APP_DEFINITIONS_PATH, appDefinitionPath, hrefWith, NEW_APP_DEFINITION_PATH } from '../page/paths.ts';
import { type CheckedOperator, newOperatorPage, operatorIn } from '../operator/new-operator-page.ts';
import { changelogPart, type ChangelogPart } from '../page/changelog-part.ts';
import type { SafeHtml } from '../page/safe-html.ts';
import { appDefinitionPage, appDefinitionsPage } from './app-definition-pages.ts';
import { askedIn, type AskedDefinition, definitionText, namespaceFaults, namespacePart, type NamespacePart } from './asked-definition.ts';
import { requirementsPart, type RequirementsPart } from './requirements-part.ts';
import { uploadedChartRoutes } from './uploaded-chart-routes.ts';

const SECTION = 'appDefinitions';
const TOP = { label: 'App definitions', href: APP_DEFINITIONS_PATH };

/** The pages of AppDefinitions: the list, one of them, and a new one from a chart. */
export function appDefinitionRoutes(deps: WebDeps): Router {
  const router = Router();
  const work = createLongWork();
  router.use(uploadedChartRoutes(deps));
  router.get(
    APP_DEFINITIONS_PATH,
    page(deps, async (visit) => await showList(deps, visit)),
  );
  router.get(
    NEW_APP_DEFINITION_PATH,
    page(deps, async (visit) => {
      const asked = askedIn(visit.query);
      const faults = namespaceFaults(asked.namespaces);
      if (!isAsked(visit.query) || faults.length > 0) return show(newAppDefinitionPage(asked, { faults }));
      const address = `${NEW_APP_DEFINITION_PATH}?${visit.query.toString()}`;
      return await work.join(visit, address, { words: FETCHING, run: async () => await preview(deps, visit) });
    }),
  );
  router.post(
    NEW_APP_DEFINITION_PATH,
    page(deps, async (visit) => await receive(deps, visit)),
  );
  router.get(
    `${APP_DEFINITIONS_PATH}/:name`,
    page(deps, async (visit) => await showOne(deps, visit)),
  );
  return router;
}

async function showList({ operations }: WebDeps, { actor }: Visit): Promise<Answer> {
  const [definitions, missing] = await Promise.all([operations.listAppDefinitions(actor), operations.missingForNewAppDefinition(actor)]);
  const model = appDefinitionsPage(definitions, missing === undefined ? NEW_APP_DEFINITION_PATH : '');
  return { view: 'app-definitions/index', title: 'App definitions', section: SECTION, model };
}

async function showOne({ operations }: WebDeps, { actor, param }: Visit): Promise<Answer> {
  const definition = await operations.showAppDefinition(actor, { name: param('name') });
  const crumbs = [TOP, { label: definition.displayName }];
  return { view: 'app-definitions/show', title: definition.displayName, section: SECTION, crumbs, model: appDefinitionPage(definition) };
}

const CRUMBS = [TOP, { label: 'New' }];
const FETCHING: WorkWords = {
  title: 'Fetching the chart',
  text: 'Chandlery fetches the chart from its repository, and renders it with its own values.',
  crumbs: CRUMBS,
  section: SECTION,
};

/** The chart that an address names, and the file that would offer it. */
async function preview({ operations }: WebDeps, { actor, query }: Visit): Promise<Answer> {
  const wanted = askedIn(query);
  try {
    const chart = await operations.previewChart(actor, wanted.chart);
    return show(newAppDefinitionPage(wanted, { chart, text: definitionText(chart, wanted) }));
  } catch (error) {
    if (!isAppError(error, ...CHART_FAULTS)) throw error;
    return show(
      newAppDefinitionPage(wanted, { faults: error.faults.length > 0 ? error.faults : [{ field: 'repoURL', message: error.message }] }),
    );
  }
}

/** Checked always; created only when it was asked for and nothing stands against it. */
async function receive({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, body, requestOrigin } = visit;
  const wanted = askedIn(body);
  const text = (body.get('manifest') ?? '').replaceAll('\r\n', '\n');
  const read = operatorIn(await runFormJob('readYaml', text));
  const faulty = (message: string): Answer => show(newAppDefinitionPage(wanted, { text, faults: [{ field: 'manifest', message }] }));
  if ('fault' in read) return faulty(read.fault);
  const { operator: definition } = read;
  try {
    const preflight = await operations.preflightAppDefinition(actor, definition);
    if (body.get('_do') === 'file')
      return { fileName: `${definition.metadata.name}.yaml`, type: 'text/yaml', text: preflight.commands.yaml };
    if (preflight.verdict === 'Blocked' || body.get('_do') !== 'create') return show(newAppDefinitionPage(wanted, { text, preflight }));
    const created = await operations.createAppDefinition(actor, { definition, ...requestOrigin });
    return { redirect: appDefinitionPath(created.name) };
  } catch (error) {
    if (!isAppError(error, 'InvalidInput', 'AlreadyExists')) throw error;
    return faulty(error.message);
  }
}

function show(model: NewAppDefinitionPage): Answer {
  const wrong = model.errors.length > 0;
  return {
    view: 'app-definitions/new',
    title: `${wrong ? 'Error: ' : ''}New app definition`,
    section: SECTION,
    crumbs: CRUMBS,
    model,
    ...(wrong ? { status: 422 } : {}),
  };
}

/** A view of `app-definitions/new`: where the chart is, what it is, and the file that offers it. */
interface NewAppDefinitionPage {
  readonly query: ChartQuery;
  readonly namespaces: NamespacePart;
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
  readonly requirements: RequirementsPart;
  /** Absent when the authors say nothing of the version. */
  readonly changelog?: ChangelogPart;
  readonly readme?: SafeHtml;
}

/** What is said of the chart on the page, and not on a page of errors. */
const CHART_FAULTS: readonly ErrorCode[] = [
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

/** Whether an address asks for a chart. */
function isAsked(parameters: URLSearchParams): boolean {
  return parameters.has('repoURL') && parameters.has('name');
}

interface Outcome {
  readonly chart?: ChartPreview;
  readonly text?: string;
  readonly faults?: readonly FieldFault[];
  readonly preflight?: Preflight;
}

function newAppDefinitionPage(asked: AskedDefinition, { chart, text = '', faults = [], preflight }: Outcome = {}): NewAppDefinitionPage {
  const { chart: query, namespaces } = asked;
  const faultOf = (field: string): string => faults.find((fault) => fault.field === field)?.message ?? '';
  const checked = preflight === undefined ? undefined : newOperatorPage(text, { preflight }).checked;
  return {
    query,
    namespaces: namespacePart(namespaces, faultOf),
    errors: faults.map(({ field = '', message }) => ({ message, href: `#${field}` })),
    faults: { repoURL: faultOf('repoURL'), name: faultOf('name'), manifest: faultOf('manifest') },
    ...(chart === undefined ? {} : { chart: chartPart(chart, asked) }),
    text,
    ...(checked === undefined ? {} : { checked }),
  };
}

function chartPart(chart: ChartPreview, { chart: query, namespaces: inputs, adopted }: AskedDefinition): ChartPart {
  const hrefOf = (changed: Readonly<Record<string, string>>): string =>
    hrefWith(NEW_APP_DEFINITION_PATH, { ...query, ...inputs, ...adopted, ...changed });
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
    versions: versions.map((one) => ({
      version: one,
      href: hrefOf({ version: one }),
      current: one === version,
    })),
    requirements: requirementsPart(chart, {
      hasDefaults: adopted.defaults === 'on',
      hasAllowed: adopted.allow === 'on',
      hasPermissions: adopted.permissions === 'on',
      defaultsHref: `${hrefOf({ defaults: 'on' })}#definition`,
      allowHref: `${hrefOf({ allow: 'on' })}#definition`,
      permissionsHref: `${hrefOf({ permissions: 'on' })}#definition`,
    }),
    ...(chart.changelog === undefined ? {} : { changelog: changelogPart(chart.changelog) }),
    ...(readme.trim() === '' ? {} : { readme: renderMarkdown(readme) }),
  };
}
