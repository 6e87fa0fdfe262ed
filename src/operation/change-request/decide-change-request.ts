import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { Asking } from '../../domain/audit/audit-log.ts';
import type { PlanDecision, SharedPlan } from '../../domain/change-request/change-request.ts';
import { missingRight } from '../instance/instance-draft.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { instanceDeed, journaled } from '../audit/audited.ts';
import { candidateOf } from './request-candidate.ts';
import { findPlan, verbOf } from './request-access.ts';
import type { Ports } from '../ports.ts';

export interface PlanVerdict extends Asking {
  readonly id: string;
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'plans' | 'publicUrl' | 'journal'>;

const LONGEST_WORD = 500;

/**
 * Does what a plan asks for, as the actor.
 *
 * @param digest that of `showPlan`: what the actor has seen is what is written, or nothing.
 * @throws AppError `Conflict` when it would do something else by now; `PlanClosed`; else as the write itself.
 */
export async function approvePlan(ports: Needs, actor: Actor, input: PlanVerdict & { readonly digest: string }): Promise<InstanceView> {
  const { plan } = await findPlan(ports, actor, input.id);
  return await journal(ports, actor, { plan, action: 'approve plan', asking: input }, async () => {
    refuseClosed(plan);
    const { digest, write } = await candidateOf(ports, actor, plan);
    if (input.digest !== digest) {
      throw new AppError('Conflict', 'plan: what it would do is no longer what you looked at: look at it again, then approve');
    }
    const written = await write();
    // It is done, so this is the truth, also when it was withdrawn in the same moment.
    await ports.plans.table.decide(plan.id, decisionOf(ports, actor, { state: 'approved', outcome: '' }), 'late');
    return written;
  });
}

/** Says no to a plan, in a word. `Forbidden` for who could not approve it either. */
export async function declinePlan(ports: Needs, actor: Actor, input: PlanVerdict & { readonly word: string }): Promise<void> {
  const { plan, mayDecide } = await findPlan(ports, actor, input.id);
  await journal(ports, actor, { plan, action: 'decline plan', asking: input }, async () => {
    if (!mayDecide) throw await refusal(ports, actor, plan);
    await close(ports, plan, decisionOf(ports, actor, { state: 'declined', outcome: input.word.trim().slice(0, LONGEST_WORD) }));
  });
}

/** Takes a plan back. `Forbidden` for everybody but who asked. */
export async function withdrawPlan(ports: Needs, actor: Actor, input: PlanVerdict): Promise<void> {
  const { plan, mine } = await findPlan(ports, actor, input.id);
  await journal(ports, actor, { plan, action: 'withdraw plan', asking: input }, async () => {
    if (!mine) throw new AppError('Forbidden', `plan: only ${plan.requester.user}, who asked for it, can withdraw it: decline it instead`);
    await close(ports, plan, decisionOf(ports, actor, { state: 'withdrawn', outcome: '' }));
  });
}

interface PlanDeed {
  readonly plan: SharedPlan;
  readonly action: string;
  readonly asking: Asking;
}

async function journal<T>(ports: Needs, actor: Actor, { plan, action, asking }: PlanDeed, act: () => Promise<T>): Promise<T> {
  const deed = instanceDeed(action, plan, asking);
  return await journaled(ports, actor, { ...deed, target: `${plan.id} ${deed.target}` }, act);
}

async function close({ plans }: Needs, plan: SharedPlan, decision: PlanDecision): Promise<void> {
  refuseClosed(plan);
  if (!(await plans.table.decide(plan.id, decision))) refuseClosed((await plans.table.get(plan.id)) ?? { ...plan, state: 'expired' });
}

function refuseClosed({ state }: SharedPlan): void {
  if (state === 'open') return;
  throw new AppError('PlanClosed', `plan: it is ${state} already: ask for a new one if it is still wanted`);
}

function decisionOf({ plans }: Needs, actor: Actor, { state, outcome }: Pick<PlanDecision, 'state' | 'outcome'>): PlanDecision {
  return { state, outcome, decidedBy: actor.user, decidedAt: new Date(plans.now()).toISOString() };
}

async function refusal(ports: Needs, actor: Actor, plan: SharedPlan): Promise<AppError> {
  const { group, plural: resource } = findApp(ports, actor, plan.app).summary;
  const { namespace } = await findEnvironment(ports.clusters, actor, plan.environment);
  const missing = await missingRight(ports, actor, { verb: verbOf(plan), group, resource, namespace });
  const message = 'plan: only who could approve it can decline it: withdraw it if you asked for it';
  return new AppError('Forbidden', message, missing === undefined ? {} : { missing });
}
