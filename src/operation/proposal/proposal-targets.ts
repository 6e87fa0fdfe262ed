import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { mayHold, type ProposalTarget, targetOfSource } from '../../domain/proposal/proposal-target.ts';
import { type ProposedResource, resourceOf } from '../../domain/proposal/proposal.ts';
import type { Ports } from '../ports.ts';

/** No such resource is served; Chandlery asks for the permission all the same. */
export const PROPOSALS = { group: OURS.group, resource: 'proposals' } as const;

/** The names of the sources that a change of a resource can be proposed to, sorted; none for whoever may not propose it. */
export async function listProposalTargets(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  resource: ProposedResource,
): Promise<readonly string[]> {
  const names = targets(ports)
    .filter((target) => mayHold(target, resource))
    .map(({ name }) => name);
  if (names.length === 0) return [];
  const { allowed } = await ports.clusters.asActor(actor).review({ ...PROPOSALS, verb: 'create', namespace: resource.namespace ?? '' });
  return allowed ? names.sort() : [];
}

/** All sources whose repositories take merge requests. */
export function targets({ catalog }: Pick<Ports, 'catalog'>): readonly ProposalTarget[] {
  return catalog.catalogSources().flatMap((source) => targetOfSource(source) ?? []);
}

/** @throws AppError `NotFound`; `ProposalImpossible` for a source that would not apply the resource. */
export function findTarget(ports: Pick<Ports, 'catalog'>, name: string, object: KubeObject): ProposalTarget {
  const source = ports.catalog.catalogSources().find(({ metadata }) => metadata.name === name);
  if (source === undefined) throw new AppError('NotFound', `catalogue source ${JSON.stringify(name)}: there is none`);
  const target = targetOfSource(source);
  const impossible = (why: string): AppError =>
    new AppError('ProposalImpossible', `proposal: catalogue source ${JSON.stringify(name)}: ${why}`);
  if (target === undefined) throw impossible('nothing says which forge its repository is at; an admin sets spec.git.forge');
  if (!mayHold(target, resourceOf(object)))
    throw impossible(
      `it applies no ${object.kind} in the namespace ${object.metadata.namespace ?? '(none)'}; see its allowedKinds, mode and namespaces`,
    );
  return target;
}
