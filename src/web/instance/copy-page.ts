import { Router } from 'express';
import pMap from 'p-map';
import { isAppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { InstallTargets } from '../../operation/app/install-choices.ts';
import { addressOf, instanceCrumbs } from './instance-routes.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { installPath, instancePath } from '../page/paths.ts';

/** Another environment that an Instance can be copied to. */
interface CopyTarget {
  readonly displayName: string;
  readonly tier: string;
  /** What is there: a version, or that there is an instance; empty when there is none of this name. */
  readonly present: string;
  readonly href: string;
  readonly act: 'Install a copy' | 'Compare and promote';
}

/** A view of `environments/instances/copy`. */
interface CopyPage {
  readonly name: string;
  readonly version: string;
  readonly targets: readonly CopyTarget[];
  readonly backHref: string;
}

const ROUTE = '/environments/:environment/instances/:app/:name/copy';
const AT_ONCE = 4;

/** Taking an Instance to another environment: by the form of an installation, or, where one of its name is, of a change. */
export function copyRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, async (visit) => await showTargets(deps, visit)),
  );
  return router;
}

async function showTargets({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor } = visit;
  const address = addressOf(visit);
  const [instance, environment, { targets }] = await Promise.all([
    operations.showInstance(actor, address),
    operations.showEnvironment(actor, address.environment),
    operations.installTargets(actor, address.app),
  ]);
  const others = targets.filter((target) => target.environment.name !== address.environment && target.allowed);
  const present = await pMap(others, async (target) => await findThere(operations, visit, target.environment.name), {
    concurrency: AT_ONCE,
  });
  const rows = others.flatMap((target, index) => rowOf(target, { source: instance, there: present[index] }));
  const model: CopyPage = { name: instance.name, version: versionOf(instance), targets: rows, backHref: instancePath(address) };
  return {
    view: 'environments/instances/copy',
    title: `Copy ${address.name}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, 'Copy'),
    model,
  };
}

async function findThere(
  operations: Pick<WebDeps['operations'], 'showInstance'>,
  visit: Visit,
  environment: string,
): Promise<InstanceView | undefined> {
  try {
    return await operations.showInstance(visit.actor, { ...addressOf(visit), environment });
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Forbidden')) return undefined;
    throw error;
  }
}

interface Compared {
  readonly source: InstanceView;
  readonly there: InstanceView | undefined;
}

function rowOf({ environment, permissions }: InstallTargets['targets'][number], { source, there }: Compared): CopyTarget[] {
  const { name, displayName, tier } = environment;
  const from = `${source.environment}/${source.name}`;
  const where = { displayName: displayName === '' ? name : displayName, tier: tier ?? '' };
  if (there !== undefined) {
    const href = `${instancePath(there)}/edit?${new URLSearchParams({ from }).toString()}`;
    return permissions.update ? [{ ...where, present: versionOf(there), href, act: 'Compare and promote' }] : [];
  }
  const query = new URLSearchParams({ environment: name, name: source.name, from });
  const href = `${installPath(source.app)}?${query.toString()}`;
  return permissions.create ? [{ ...where, present: '', href, act: 'Install a copy' }] : [];
}

function versionOf({ object }: InstanceView): string {
  return textAt(object.status, 'version') ?? 'installed';
}
