import { randomBytes } from 'node:crypto';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import { specVersionOf, type Preflight } from '../../domain/instance/instance.ts';
import type { Asking } from '../../domain/audit/audit-log.ts';
import { applyMergePatch, isSame, mergePatchBetween } from '../../domain/core/merge-patch.ts';
import { besideOf, contentOf } from '../../domain/instance/instance-content.ts';
import { objectAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { PlanAction, PlanBounds, SharedPlan } from '../../domain/change-request/change-request.ts';
import { appForm } from '../../form/model/app-form.ts';
import { sensitivePaths } from '../../schema/sensitive/sensitive-values.ts';
import { findInstance } from '../instance/find-instance.ts';
import { markedOf, unmaskContent } from '../instance/instance-masking.ts';
import { prepareDraft, type InstanceDraft } from '../instance/instance-draft.ts';
import { instanceDeed, journaled } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';
import { preflightChange } from '../preflight/preflight-change.ts';
import { preflightInstance } from '../preflight/preflight-instance.ts';
import { showApp } from '../app/show-app.ts';
import { planSummary, type PlanSummary } from './show-change-request.ts';

/** What somebody wants another to install or change. */
export interface PlanWish extends InstanceDraft, Asking {
  readonly action: PlanAction;
  /** Of a change: the `specVersionOf` the Instance that it was made on; absent for whatever is there. */
  readonly specVersion?: string;
  readonly message: string;
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'chart' | 'discovery' | 'plans' | 'publicUrl' | 'journal'>;

const PLAN_BOUNDS: PlanBounds = { ofPerson: 50, ofAll: 500, ended: 50 };
const LIFE_MS = 14 * 24 * 3_600_000;
const LONGEST_MESSAGE = 1_000;
const LARGEST_CONTENT = 64 * 1024;
const MOST_LINES = 20;

/**
 * Keeps a wish under an address of its own. Nothing is written to the cluster.
 *
 * @throws AppError `InvalidInput` for what the cluster would refuse from anybody and for values that are secrets; `TooLarge`;
 *   `LimitReached` beyond the bounds; else as the preflight of it.
 */
export async function askPlan(ports: Needs, actor: Actor, wish: PlanWish): Promise<PlanSummary> {
  return await journaled(ports, actor, instanceDeed('ask plan', wish, wish), async () => await ask(ports, actor, wish));
}

async function ask(ports: Needs, actor: Actor, wish: PlanWish): Promise<PlanSummary> {
  const message = parseMessage(wish.message);
  refuseNewSecrets(wish);
  const { content, beside, base, preflight } =
    wish.action === 'install' ? await installation(ports, actor, wish) : await change(ports, actor, wish);
  if (preflight.missing.length === 0 && preflight.faults.length > 0) {
    throw new AppError('InvalidInput', 'plan: the cluster would refuse this from anybody: correct it first', { faults: preflight.faults });
  }
  await refuseSecrets(ports, actor, { app: wish.app, content: { ...beside, spec: content } });
  const now = ports.plans.now();
  const plan: SharedPlan = {
    id: randomBytes(16).toString('hex'),
    cluster: await ports.plans.cluster(),
    action: wish.action,
    environment: wish.environment,
    app: wish.app,
    name: preflight.object.metadata.name,
    content,
    ...(Object.keys(beside).length === 0 ? {} : { beside }),
    base,
    found: foundBy(preflight),
    requester: { user: actor.user, groups: actor.groups },
    message,
    created: new Date(now).toISOString(),
    expires: new Date(now + LIFE_MS).toISOString(),
    state: 'open',
  };
  await keep(ports, plan);
  return planSummary(plan);
}

interface Wanted {
  readonly content: JsonObject;
  readonly beside: JsonObject;
  readonly base: string;
  readonly preflight: Preflight;
}

/** A value that nobody may see cannot wait for somebody else, and what refers to a Secret that is not there would not work. */
function refuseNewSecrets({ secrets = [] }: PlanWish): void {
  if (secrets.length === 0) return;
  throw invalid('spec', `A plan cannot make Secrets (${secrets.map(({ name }) => name).join(', ')}): refer to some that exist`);
}

/** What the catalogue starts new instances with is part of the wish from now on, so that it stays what it is. */
async function installation(ports: Needs, actor: Actor, { environment, app, name, spec, beside }: PlanWish): Promise<Wanted> {
  const draft = { environment, app, name, spec, ...(beside === undefined ? {} : { beside }) };
  const { object } = await prepareDraft(ports, actor, draft);
  const content = contentOf(object);
  return {
    content: objectAt(content, 'spec') as JsonObject,
    beside: besideOf(content),
    base: '',
    preflight: await preflightInstance(ports, actor, draft),
  };
}

async function change(ports: Needs, actor: Actor, wish: PlanWish): Promise<Wanted> {
  const { environment, app, name, spec: sent, beside = {}, specVersion } = wish;
  const { entry, object } = await findInstance(ports, actor, { environment, app, name });
  const before = object.spec ?? {};
  const spec = objectAt(unmaskContent(markedOf(entry), { spec: sent }, object), 'spec') as JsonObject;
  const content = mergePatchBetween(before, spec) as JsonObject;
  if (!isSame(applyMergePatch(before, content), spec)) {
    throw invalid('spec', 'A plan cannot set a value to null: leave the field out instead, or change the instance in one step');
  }
  if (Object.keys(content).length === 0 && Object.keys(beside).length === 0)
    throw invalid('spec', 'Nothing differs from what is there: change something first');
  const preflight = await preflightChange(ports, actor, {
    environment,
    app,
    name,
    spec,
    beside,
    specVersion: specVersion ?? specVersionOf(object),
  });
  return { content, beside, base: specVersionOf(object), preflight };
}

/** A plan is read by others, and kept outside the cluster: no place for a password. */
async function refuseSecrets(
  ports: Needs,
  actor: Actor,
  { app, content }: { readonly app: string; readonly content: JsonObject },
): Promise<void> {
  const paths = sensitivePaths(appForm(await showApp(ports, actor, app), 'create'), content);
  if (paths.length === 0) return;
  const advice = 'A plan must not hold a secret: put it into a Secret of the environment and refer to that, or leave it to who approves';
  const faults = paths.map((field) => ({ field, message: advice }));
  throw new AppError('InvalidInput', `plan: ${paths.join(', ')}: ${advice}`, { faults });
}

function parseMessage(text: string): string {
  const message = text.replaceAll('\r\n', '\n').trim();
  if (message.length <= LONGEST_MESSAGE) return message;
  throw invalid('message', `Write at most ${LONGEST_MESSAGE} characters`);
}

function invalid(field: string, message: string): AppError {
  return new AppError('InvalidInput', `plan: ${message}`, { faults: [{ field, message }] });
}

function foundBy({ verdict, findings }: Preflight): SharedPlan['found'] {
  const lines = (group: 'blocked' | 'warned'): string[] => findings[group].slice(0, MOST_LINES).map(({ message }) => message.slice(0, 500));
  return { verdict, blocked: lines('blocked'), warned: lines('warned') };
}

async function keep({ plans }: Needs, plan: SharedPlan): Promise<void> {
  if (JSON.stringify(plan.content).length > LARGEST_CONTENT) {
    throw new AppError('TooLarge', `plan: what it asks for is larger than ${LARGEST_CONTENT / 1024} KiB: ask for it in smaller steps`);
  }
  const added = await plans.table.add(plan, PLAN_BOUNDS);
  if (added === 'added') return;
  const whose = added === 'ofPerson' ? `you have ${PLAN_BOUNDS.ofPerson} open plans` : `there are ${PLAN_BOUNDS.ofAll} open plans`;
  throw new AppError('LimitReached', `plan: ${whose}, and that is the bound: withdraw one, or wait until one is decided`);
}
