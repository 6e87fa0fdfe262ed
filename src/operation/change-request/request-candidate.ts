import { createHash } from 'node:crypto';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { specVersionOf, type InstanceView, type Preflight } from '../../domain/instance/instance.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SharedPlan } from '../../domain/change-request/change-request.ts';
import { makeInstance } from '../instance/create-instance.ts';
import { prepareDraft, type InstanceDraft } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { preflightChange } from '../preflight/preflight-change.ts';
import { preflightInstance } from '../preflight/preflight-instance.ts';
import { showInstance } from '../instance/show-instance.ts';
import { replaceInstance } from '../instance/update-instance.ts';

/** What approving a plan would do now, in the approver's name. */
export interface Candidate {
  /** Stands for everything that would be written and for what it would be written on. */
  readonly digest: string;
  /** Whether the Instance is no longer what the change was made on. */
  readonly moved: boolean;
  readonly preflight: () => Promise<Preflight>;
  readonly write: () => Promise<InstanceView>;
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'publicUrl' | 'journal'>;

/**
 * Makes what a plan asks for on what is there now, as the actor may read it.
 *
 * @throws AppError `NotFound` for an environment, App or Instance that is gone or may not be known of; `Forbidden` for an Instance that may not
 *   be read.
 */
export async function candidateOf(ports: Needs, actor: Actor, plan: SharedPlan): Promise<Candidate> {
  return plan.action === 'install' ? await installation(ports, actor, plan) : await change(ports, actor, plan);
}

async function installation(ports: Needs, actor: Actor, plan: SharedPlan): Promise<Candidate> {
  const draft = {
    ...addressOf(plan),
    spec: plan.content,
    ...besideOf(plan),
    defaults: 'in spec' as const,
    annotations: signatures(plan, actor),
  };
  const { object } = await prepareDraft(ports, actor, draft);
  return {
    digest: digestOf(plan, object, ''),
    moved: false,
    preflight: async () => await preflightInstance(ports, actor, draft),
    write: async () => await makeInstance(ports, actor, draft),
  };
}

async function change(ports: Needs, actor: Actor, plan: SharedPlan): Promise<Candidate> {
  const { object: live } = await showInstance(ports, actor, addressOf(plan));
  const spec = applyMergePatch(live.spec ?? {}, plan.content) as JsonObject;
  const specVersion = specVersionOf(live);
  const wanted = { ...addressOf(plan), spec, ...besideOf(plan), specVersion, annotations: signatures(plan, actor) };
  return {
    digest: digestOf(
      plan,
      { ...live, metadata: { name: plan.name, annotations: wanted.annotations, beside: plan.beside }, spec, status: undefined },
      specVersion,
    ),
    moved: specVersion !== plan.base,
    preflight: async () => await preflightChange(ports, actor, wanted),
    write: async () => await replaceInstance(ports, actor, wanted),
  };
}

function besideOf({ beside }: SharedPlan): Pick<InstanceDraft, 'beside'> {
  return beside === undefined ? {} : { beside };
}

function addressOf({ environment, app, name }: SharedPlan): Pick<SharedPlan, 'environment' | 'app' | 'name'> {
  return { environment, app, name };
}

/** Who asked and who let it be done stay with the object. */
function signatures({ requester }: SharedPlan, actor: Actor): Readonly<Record<string, string>> {
  return { [OURS.requestedBy]: requester.user, [OURS.approvedBy]: actor.user };
}

function digestOf(plan: SharedPlan, object: KubeObject, base: string): string {
  return createHash('sha256')
    .update(JSON.stringify([plan.id, base, object]))
    .digest('hex');
}
