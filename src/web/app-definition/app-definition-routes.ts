import { Router } from 'express';
import { isAppError } from '../../domain/core/errors.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { createLongWork, type WorkWords } from '../page/long-work.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { appDefinitionPath, APP_DEFINITIONS_PATH, NEW_APP_DEFINITION_PATH } from '../page/paths.ts';
import { operatorIn } from '../operator/new-operator-page.ts';
import { appDefinitionPage, appDefinitionsPage } from './app-definition-pages.ts';
import {
  CHART_FAULTS,
  definitionOf,
  isAsked,
  newAppDefinitionPage,
  type NewAppDefinitionPage,
  parseChartQuery,
} from './new-app-definition-page.ts';

const SECTION = 'appDefinitions';
const TOP = { label: 'App definitions', href: APP_DEFINITIONS_PATH };

/** The pages of AppDefinitions: the list, one of them, and a new one from a chart. */
export function appDefinitionRoutes(deps: WebDeps): Router {
  const router = Router();
  const work = createLongWork();
  router.get(
    APP_DEFINITIONS_PATH,
    page(deps, async (visit) => await showList(deps, visit)),
  );
  router.get(
    NEW_APP_DEFINITION_PATH,
    page(deps, async (visit) => {
      if (!isAsked(visit.query)) return show(newAppDefinitionPage(parseChartQuery(visit.query)));
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
  const wanted = parseChartQuery(query);
  try {
    const chart = await operations.previewChart(actor, wanted);
    return show(newAppDefinitionPage(wanted, { chart, text: definitionOf(chart, wanted) }));
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
  const wanted = parseChartQuery(body);
  const text = (body.get('manifest') ?? '').replaceAll('\r\n', '\n');
  const read = operatorIn(await runFormJob('readYaml', text));
  const faulty = (message: string): Answer => show(newAppDefinitionPage(wanted, { text, faults: [{ field: 'manifest', message }] }));
  if ('fault' in read) return faulty(read.fault);
  const { operator: definition } = read;
  try {
    const preflight = await operations.preflightAppDefinition(actor, definition);
    if (body.get('_do') === 'file')
      return { fileName: `${definition.metadata.name}.yaml`, type: 'text/yaml', text: preflight.commands.yaml };
    if (preflight.verdict !== 'Ready' || body.get('_do') !== 'create') return show(newAppDefinitionPage(wanted, { text, preflight }));
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
