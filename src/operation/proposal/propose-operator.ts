import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Proposal } from '../../domain/proposal/proposal.ts';
import { sensitiveIn } from '../../schema/sensitive/mask.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { operatorEvent } from '../audit/audited.ts';
import { type OperatorPorts, operatorToCreate, preflightOperator } from '../preflight/preflight-operator.ts';
import { type ApprovalInput, approvalPatch } from '../upgrade/approve-upgrade.ts';
import type { Ports } from '../ports.ts';
import { type ProposalWish, propose } from './propose.ts';

type Needs = OperatorPorts & Pick<Ports, 'auditLog' | 'proposals'>;

/** Proposes a new Operator as a new file. Throws as `propose`. */
export async function proposeOperator(
  ports: Needs,
  actor: Actor,
  { operator, ...wish }: ProposalWish & { operator: KubeObject },
): Promise<Proposal> {
  const { name, namespace = '' } = operator.metadata;
  const prepare = async () => {
    const object = operatorToCreate(operator);
    if (sensitiveIn(BY_NAMES, object).length > 0)
      throw new AppError(
        'ProposalImpossible',
        'proposal: its values hold a password or token, and git would keep it for ever; use spec.valuesFrom',
      );
    return {
      title: `Add the operator ${name}`,
      object,
      edit: { kind: 'Add', plural: OPERATOR.resource } as const,
      preflight: async () => await preflightOperator(ports, actor, operator),
    };
  };
  return await propose(ports, actor, { wish, event: operatorEvent('create operator', { name, namespace }, wish), prepare });
}

/** Proposes to approve a newer version of an Operator: its approval becomes an annotation in the file. Throws as `propose` and `approveUpgrade`. */
export async function proposeUpgrade(
  ports: Needs,
  actor: Actor,
  { approval, ...wish }: ProposalWish & { approval: ApprovalInput },
): Promise<Proposal> {
  const { name, version } = approval;
  const prepare = async () => {
    const { operator, patch } = await approvalPatch(ports, actor, approval);
    return { title: `Upgrade ${name} to ${version}`, object: operator, edit: { kind: 'Patch', patch } as const };
  };
  return await propose(ports, actor, { wish, event: operatorEvent('approve upgrade', approval, wish), prepare });
}
