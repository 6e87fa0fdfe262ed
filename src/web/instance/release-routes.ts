import pMap from 'p-map';
import { Router } from 'express';
import { isAppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { InstallTargets } from '../../operation/app/install-choices.ts';
import { addressOf, instanceCrumbs } from './instance-routes.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { installPath, instancePath } from '../page/paths.ts';
import { quoted } from '../../domain/instance/instance-commands.ts';
import type { Workload } from '../../domain/workload/workload.ts';
import type { ActionPage } from '../resource/resource-routes.ts';
import { sleepState } from './instance-frame.ts';

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

const COPY_ROUTE = '/environments/:environment/instances/:app/:name/copy';
const AT_ONCE = 4;

/** Taking an Instance to another environment: by the form of an installation, or, where one of its name is, of a change. */
export function copyRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    COPY_ROUTE,
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

const SLEEP_ROUTE = '/environments/:environment/instances/:app/:name/sleep';

/** The page that says what putting an instance to sleep does, and what it and **Wake** send. */
export function sleepRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    SLEEP_ROUTE,
    page(deps, async (visit) => await confirmSleep(deps, visit)),
  );
  router.post(
    SLEEP_ROUTE,
    page(deps, async (visit) => await setSleep(deps, visit)),
  );
  return router;
}

async function confirmSleep({ operations, publicUrl }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor } = visit;
  const address = addressOf(visit);
  const [{ instance, workloads }, environment, permissions] = await Promise.all([
    operations.readInstance(actor, address),
    operations.showEnvironment(actor, address.environment),
    operations.instancePermissions(actor, address),
  ]);
  const { update } = permissions;
  const title = `Put ${instance.name} to sleep`;
  const path = instancePath(instance);
  const { displayName, name } = environment;
  const model: ActionPage = {
    title,
    question: `${title}?`,
    kind: instance.appName,
    name: instance.name,
    environment: displayName === '' ? name : displayName,
    effects: [...workloads.map(effectOn), 'Volumes, Services and Secrets stay.', `Wake ${instance.name} to get the replicas back.`],
    obstacle: obstacleOf(instance, update ? 'Allowed' : 'Denied'),
    action: `${path}/sleep`,
    label: title,
    isDanger: environment.tier === 'production',
    hidden: [{ name: 'sleep', value: 'Asleep' }],
    faults: [],
    fault: '',
    backHref: path,
    commands: commandsOf(instance, publicUrl),
  };
  return {
    view: 'environments/resource/action',
    title,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, 'Put to sleep'),
    model,
  };
}

function effectOn({ kind, name, desired }: Workload): string {
  const what = `${kind} ${name}`;
  if (kind === 'CronJob') return `${what} is suspended.`;
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return `${what} goes on.`;
  if (desired === 0) return `${what} has no replicas, and stays so.`;
  return `${what} is scaled from ${desired} ${desired === 1 ? 'replica' : 'replicas'} to 0.`;
}

function obstacleOf(instance: InstanceView, permission: 'Allowed' | 'Denied'): ActionPage['obstacle'] {
  const state = sleepState(instance);
  if (state === 'NoRelease')
    return { title: 'Not possible', text: `Only releases of charts can sleep; ${instance.appName} has an Operator.` };
  if (permission === 'Denied') return { title: 'Permission denied', text: `You may not change ${instance.name}.` };
  if (state === 'Asleep') return { title: `${instance.name} is asleep`, text: 'Select Wake on its page to get the replicas back.' };
  return instance.deleting ? { title: 'Not possible now', text: `${instance.name} is being deleted.` } : undefined;
}

function commandsOf(instance: InstanceView, publicUrl: string): ActionPage['commands'] {
  const call = `curl --fail-with-body -X POST ${quoted(`${publicUrl}/api/v1${instancePath(instance)}/sleep`)}`;
  return [
    { label: 'The same with the command line', text: `chandlery sleep ${instance.name} -e ${instance.environment}` },
    { label: 'The same with the REST API', text: `${call} \\\n  -H "Authorization: Bearer $TOKEN"` },
  ];
}

async function setSleep({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const address = addressOf(visit);
  const sleep = visit.body.get('sleep') === 'Asleep' ? 'Asleep' : 'Awake';
  await operations.setInstanceSleep(visit.actor, { ...address, sleep, ...visit.requestOrigin });
  return { redirect: instancePath(address) };
}
