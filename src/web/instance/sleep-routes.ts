import { Router } from 'express';
import { quoted } from '../../domain/instance/instance-commands.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { Workload } from '../../domain/workload/workload.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath } from '../page/paths.ts';
import type { ActionPage } from '../resource/resource-routes.ts';
import { sleepState } from './instance-frame.ts';
import { addressOf, instanceCrumbs } from './instance-routes.ts';

const ROUTE = '/environments/:environment/instances/:app/:name/sleep';

/** The page that says what putting an instance to sleep does, and what it and **Wake** send. */
export function sleepRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, async (visit) => await confirmSleep(deps, visit)),
  );
  router.post(
    ROUTE,
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
