import { Router } from 'express';
import type { Proposal, ProposalStatus } from '../../domain/proposal/proposal.ts';
import type { ProposalList } from '../../operation/proposal/list-proposals.ts';
import type { ProposalWish } from '../../operation/proposal/propose.ts';
import type { GitOwner, InstanceOwner } from '../../operation/proposal/show-owner.ts';
import type { Badge } from '../page/badges.ts';
import { page, type Answer, type Visit, type WebDeps } from '../page/page.ts';

export const PROPOSALS_PATH = '/proposals';

/** The page of proposals. Proposing is a button of the reviews. */
export function proposalRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    PROPOSALS_PATH,
    page(deps, async ({ actor }) => {
      const model = proposalsPage(await deps.operations.listProposals(actor));
      return { view: 'proposals', title: 'Proposals', section: 'changeRequests', model };
    }),
  );
  return router;
}

/** Proposes what a review shows, and goes to the merge requests. */
export async function proposed(visit: Visit, propose: (wish: ProposalWish) => Promise<Proposal>): Promise<Answer> {
  const { body, requestOrigin } = visit;
  await propose({ source: body.get('_source') ?? '', message: body.get('_proposal') ?? '', ...requestOrigin });
  return { redirect: PROPOSALS_PATH };
}

/** Errors of proposals that are shown on the page that has the button. */
export const PROPOSAL_FAULTS = [
  'Conflict',
  'EgressDenied',
  'ForgeUnavailable',
  'GitUnavailable',
  'InvalidInput',
  'ProposalImpossible',
] as const;

/** A view of `parts/propose`; absent where no source can hold the resource. */
export interface ProposePart {
  /** Whether it is what people should do. */
  readonly open: boolean;
  readonly sources: readonly string[];
  readonly message: string;
}

export function proposePart({ owner, sources }: InstanceOwner, body: URLSearchParams): { readonly propose?: ProposePart } {
  if (sources.length === 0) return {};
  return { propose: { open: owner !== undefined, sources, message: body.get('_proposal') ?? '' } };
}

/** A view of `parts/git-owner`. */
export interface GitOwnerPart {
  readonly title: string;
  readonly sentence: string;
  readonly place: boolean;
  readonly repository?: string;
  /** Where it is a page. */
  readonly repositoryHref?: string;
  readonly path?: string;
  readonly href?: string;
}

const TOOLS: Readonly<Record<GitOwner['tool'], string>> = {
  CatalogSource: 'the CatalogSource',
  ArgoCD: 'the Argo CD Application',
  Flux: 'Flux',
  GitLabDeployment: 'the GitLabDeployment',
};

/** @param editHref of the form in which a change can be proposed; absent on that very form. */
export function gitOwnerPart({ owner, sources }: InstanceOwner, editHref?: string): { readonly owner?: GitOwnerPart } {
  if (owner === undefined) return {};
  const { tool, name, namespace, repository, path } = owner;
  const called = namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
  const isPage = repository?.startsWith('https://') === true;
  return {
    owner: {
      title: `Managed ${tool === 'GitLabDeployment' ? '' : 'in git '}by ${TOOLS[tool]} ${called}`,
      sentence: `A change that is made in the cluster alone is reverted, or conflicts with the next sync.${sources.length > 0 && editHref === undefined ? ' Review it, and propose it.' : ''}`,
      place: repository !== undefined || path !== undefined,
      ...(repository === undefined ? {} : { repository }),
      ...(repository !== undefined && isPage ? { repositoryHref: repository } : {}),
      ...(path === undefined ? {} : { path }),
      ...(sources.length > 0 && editHref !== undefined ? { href: editHref } : {}),
    },
  };
}

interface ProposalsPage {
  readonly rows: readonly ProposalRow[];
  readonly unavailable: ProposalList['unavailable'];
}

interface ProposalRow extends Pick<Proposal, 'title' | 'source' | 'proposedBy' | 'created'> {
  /** The page of the merge request; empty where there is none that can be linked. */
  readonly href: string;
  /** `Cache team-a/orders` */
  readonly resource: string;
  readonly status: Badge;
}

function proposalsPage({ proposals, unavailable }: ProposalList): ProposalsPage {
  const rows = proposals.map(({ url, title, source, proposedBy, created, status, resource: { kind, namespace, name } }) => ({
    href: url,
    title,
    source,
    proposedBy,
    created,
    resource: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    status: BADGES[status],
  }));
  return { rows, unavailable };
}

const BADGES: Readonly<Record<ProposalStatus, Badge>> = {
  Open: { label: 'Open', tone: 'busy', symbol: 'busy' },
  Merged: { label: 'Merged', tone: 'busy', symbol: 'busy' },
  Synced: { label: 'Synced', tone: 'good', symbol: 'check' },
  Healthy: { label: 'Healthy', tone: 'good', symbol: 'check' },
  Closed: { label: 'Closed', tone: 'idle', symbol: 'pause' },
};
