import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError, isAppError, messageOf } from '../../domain/core/errors.ts';
import { healthOf } from '../../domain/health/rules/health-of.ts';
import { parseApiVersion, type ResourceRef } from '../../domain/kubernetes/resource.ts';
import { ENVIRONMENT, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import { textAt } from '../../domain/core/read.ts';
import { appliedCommit, type ProposalTarget } from '../../domain/proposal/proposal-target.ts';
import {
  BRANCH_PREFIX,
  type MergeRequest,
  type Proposal,
  type ProposalStatus,
  type ProposedResource,
  readDescription,
} from '../../domain/proposal/proposal.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { listEnvironments } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';
import { PROPOSALS, targets } from './proposal-targets.ts';

export interface ProposalList {
  /** The newest first; of each source the 50 that changed last. */
  readonly proposals: readonly Proposal[];
  /** The forges that could not be asked. */
  readonly unavailable: readonly { readonly source: string; readonly message: string }[];
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'health' | 'proposals'>;

/** The proposals about resources in namespaces where the actor may list `proposals.chandlery.dev`. Their state is read from the forges and the cluster. */
export async function listProposals(ports: Needs, actor: Actor): Promise<ProposalList> {
  const sees = seesOnce(ports, actor);
  if (!(await isInvolved(ports, actor))) return { proposals: [], unavailable: [] };
  const read = await pMap(targets(ports), async (target) => await ofSource(ports, actor, { target, sees }), { concurrency: 4 });
  return {
    proposals: read.flatMap(({ proposals }) => proposals).sort((a, b) => b.created.localeCompare(a.created)),
    unavailable: read.flatMap(({ unavailable }) => unavailable).sort((a, b) => a.source.localeCompare(b.source)),
  };
}

/** Others do not learn which repositories there are. */
async function isInvolved(ports: Needs, actor: Actor): Promise<boolean> {
  const { allowed } = await ports.clusters.asActor(actor).review({ ...PROPOSALS, verb: 'list', namespace: OURS.systemNamespace });
  return allowed || (await listEnvironments(ports, actor)).length > 0;
}

/** One proposal. `NotFound` also for one that the actor may not see. */
export async function showProposal(
  ports: Needs,
  actor: Actor,
  { source, number }: { readonly source: string; readonly number: number },
): Promise<Proposal> {
  const sees = seesOnce(ports, actor);
  const target = targets(ports).find(({ name }) => name === source);
  const found = target === undefined ? undefined : (await ports.proposals.list(target)).find((one) => one.number === number);
  const proposal = target === undefined || found === undefined ? undefined : await proposalOf(ports, actor, { target, found, sees });
  if (proposal === undefined)
    throw new AppError('NotFound', `proposal: there is no proposal ${number} of ${JSON.stringify(source)} that you may see`);
  return proposal;
}

type Sees = (resource: ProposedResource) => Promise<boolean>;

/** Asked once a namespace. */
function seesOnce(ports: Needs, actor: Actor): Sees {
  const asked = new Map<string, Promise<boolean>>();
  return async ({ namespace = '' }) => {
    const answer =
      asked.get(namespace) ??
      ports.clusters
        .asActor(actor)
        .review({ ...PROPOSALS, verb: 'list', namespace })
        .then(({ allowed }) => allowed);
    asked.set(namespace, answer);
    return await answer;
  };
}

interface SourceInput {
  readonly target: ProposalTarget;
  readonly sees: Sees;
}

async function ofSource(ports: Needs, actor: Actor, { target, sees }: SourceInput): Promise<ProposalList> {
  try {
    const found = await ports.proposals.list(target);
    const all = await pMap(found, async (one) => await proposalOf(ports, actor, { target, found: one, sees }), { concurrency: 8 });
    return { proposals: all.filter((one) => one !== undefined), unavailable: [] };
  } catch (error) {
    if (!isAppError(error, 'ForgeUnavailable', 'EgressDenied')) throw error;
    return { proposals: [], unavailable: [{ source: target.name, message: messageOf(error) }] };
  }
}

/** Undefined for what Chandlery did not open, and for what the actor may not see. */
async function proposalOf(
  ports: Needs,
  actor: Actor,
  { target, found, sees }: SourceInput & { readonly found: MergeRequest },
): Promise<Proposal | undefined> {
  const described = found.branch.startsWith(BRANCH_PREFIX) ? readDescription(found.description) : undefined;
  if (described === undefined || !(await sees(described.resource))) return undefined;
  const { description: _description, state: _state, mergeCommit: _commit, ...request } = found;
  return {
    ...request,
    ...described,
    source: target.name,
    status: await statusOf(ports, actor, { target, found, resource: described.resource }),
  };
}

interface StatusInput {
  readonly target: ProposalTarget;
  readonly found: MergeRequest;
  readonly resource: ProposedResource;
}

async function statusOf(ports: Needs, actor: Actor, { target, found, resource }: StatusInput): Promise<ProposalStatus> {
  if (found.state !== 'Merged') return found.state;
  const within = appliedCommit(target.source);
  const { mergeCommit: commit } = found;
  if (commit === undefined || within === undefined || !(await ports.proposals.contains(target, { commit, within }))) return 'Merged';
  return (await isHealthy(ports, actor, resource)) ? 'Healthy' : 'Synced';
}

/** As far as the actor may read it. */
async function isHealthy(ports: Needs, actor: Actor, resource: ProposedResource): Promise<boolean> {
  const ref = refOf(ports, resource);
  if (ref === undefined) return false;
  try {
    const object = await ports.clusters.asActor(actor).get(ref);
    await ports.health.evaluate([object]);
    return healthOf(object)?.status === 'Healthy';
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Forbidden', 'InvalidInput')) return false;
    throw error;
  }
}

function refOf({ catalog }: Pick<Needs, 'catalog'>, { apiVersion, kind, namespace, name }: ProposedResource): ResourceRef | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  const own = [OPERATOR, ENVIRONMENT].find((type) => type.group === group && type.kind === kind);
  const crd = catalog
    .customResourceDefinitions()
    .find(({ spec }) => textAt(spec, 'group') === group && textAt(spec, 'names', 'kind') === kind);
  const resource = own?.resource ?? textAt(crd?.spec, 'names', 'plural');
  return resource === undefined ? undefined : { group, version, resource, name, ...(namespace === undefined ? {} : { namespace }) };
}
