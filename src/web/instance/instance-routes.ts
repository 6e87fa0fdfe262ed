import { type RequestHandler, Router } from 'express';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { RevealedValue } from '../../domain/instance/instance.ts';
import { deletePage, needsName } from './delete-page.ts';
import { instanceLive, instancePage } from './instance-page.ts';
import { type Answer, page, paramsOf, type Visit, type WebDeps } from '../page/page.ts';
import { environmentPath, instancePath } from '../page/paths.ts';
import type { InstanceAddress } from '../../operation/instance/find-instance.ts';
import type { Crumb } from '../page/shell.ts';
import { unfitValues } from './version-moves.ts';

/** Between two readings of a live page. */
const INTERVAL_MS = 2_000;

const ROUTE = '/environments/:environment/instances/:app/:name';

/** The page of an Instance, its live stream, and its end. Changing it is `change-routes.ts`. */
export function instanceRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, (visit) => showInstance(deps, visit)),
  );
  router.post(
    `${ROUTE}/reveal`,
    page(deps, (visit) => reveal(deps, visit)),
  );
  router.get(`${ROUTE}/stream`, stream(deps));
  router.get(
    `${ROUTE}/delete`,
    page(deps, (visit) => confirmDelete(deps, visit)),
  );
  router.post(
    `${ROUTE}/delete`,
    page(deps, (visit) => doDelete(deps, visit)),
  );
  return router;
}

/** The address of an Instance in a request. */
export function addressOf({ param }: Pick<Visit, 'param'>): InstanceAddress {
  return { environment: param('environment'), app: param('app'), name: param('name') };
}

/** The way to an Instance's page, and below it. */
export function instanceCrumbs(address: InstanceAddress, environment: Pick<EnvironmentView, 'displayName'>, below?: string): Crumb[] {
  const crumbs = [
    { label: 'Environments', href: '/environments' },
    { label: environment.displayName === '' ? address.environment : environment.displayName, href: environmentPath(address.environment) },
  ];
  return below === undefined
    ? [...crumbs, { label: address.name }]
    : [...crumbs, { label: address.name, href: instancePath(address) }, { label: below }];
}

/** One value at a time, on the page that names it. */
async function reveal(deps: WebDeps, visit: Visit): Promise<Answer> {
  const path = visit.body.get('path') ?? '';
  return await showInstance(
    deps,
    visit,
    await deps.operations.revealValue(visit.actor, { ...addressOf(visit), path, ...visit.requestOrigin }),
  );
}

async function showInstance({ operations }: WebDeps, visit: Visit, revealed?: RevealedValue): Promise<Answer> {
  const { actor } = visit;
  const address = addressOf(visit);
  const [reading, app, environment, permissions] = await Promise.all([
    operations.readInstance(actor, address),
    operations.showApp(actor, address.app),
    operations.showEnvironment(actor, address.environment),
    operations.instancePermissions(actor, address),
  ]);
  const canMove = permissions.update && !reading.instance.deleting;
  const unfit = canMove ? await unfitValues(operations, actor, { app, instance: reading.instance }) : undefined;
  const model = {
    ...instancePage(reading, { app, environment, permissions, ...(revealed === undefined ? {} : { revealed }) }),
    ...(unfit === undefined ? {} : { unfit }),
  };
  return {
    view: 'environments/instances/show',
    title: `${address.name} in ${model.environment.displayName}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment),
    model,
  };
}

function stream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const address = addressOf(paramsOf(request));
    await streams.answer(request, response, {
      key: instancePath(address),
      intervalMs: INTERVAL_MS,
      reader: (actor) => () => operations.readInstance(actor, address),
      render: (reading) => ({
        html: views.render('environments/instances/live', instanceLive(reading)),
        status: instanceLive(reading).health.label,
      }),
    });
  };
}

async function confirmDelete({ operations }: WebDeps, visit: Visit, fault?: string): Promise<Answer> {
  const address = addressOf(visit);
  const [instance, preflight, environment] = await Promise.all([
    operations.showInstance(visit.actor, address),
    operations.preflightDeletion(visit.actor, address),
    operations.showEnvironment(visit.actor, address.environment),
  ]);
  return {
    view: 'environments/instances/delete',
    title: `${fault === undefined ? '' : 'Error: '}Delete ${address.name}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, 'Delete'),
    model: deletePage({ instance, preflight }, environment, fault),
    ...(fault === undefined ? {} : { status: 422 }),
  };
}

async function doDelete(deps: WebDeps, visit: Visit): Promise<Answer> {
  const address = addressOf(visit);
  const environment = await deps.operations.showEnvironment(visit.actor, address.environment);
  if (needsName(environment) && visit.body.get('name')?.trim() !== address.name) {
    return confirmDelete(deps, visit, `Type ${address.name} to delete it`);
  }
  await deps.operations.deleteInstance(visit.actor, { ...address, ...visit.requestOrigin });
  return { redirect: `${environmentPath(address.environment)}?deleted=${encodeURIComponent(address.name)}` };
}
