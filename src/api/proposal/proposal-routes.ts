import { textAt } from '../../domain/core/read.ts';
import { type Proposal, PROPOSAL_STATUSES } from '../../domain/proposal/proposal.ts';
import type { ProposalWish } from '../../operation/proposal/propose.ts';
import { OWNER_TOOLS } from '../../operation/proposal/show-owner.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import type { Call, Reply, Route } from '../route.ts';
import { object, pageOf, ref, text, time } from '../schema-parts.ts';

/** Parameters of every call that can be proposed instead. */
export const PROPOSE_QUERY = {
  propose: {
    type: 'string',
    maxLength: 63,
    description: 'The name of a CatalogSource: write nothing, and open a merge request in its repository',
  },
  proposalMessage: { type: 'string', maxLength: 1_000, description: 'With `propose`: a message to the reviewer' },
} as const;

/** The answer of a call with `propose`. */
export const PROPOSED = { description: 'With `propose`: the opened proposal; Location is its URL', schema: ref('Proposal') } as const;

/** Undefined for a call that is not to be proposed. */
export function wishOf({ query, requestOrigin }: Pick<Call, 'query' | 'requestOrigin'>): ProposalWish | undefined {
  const source = textAt(query, 'propose');
  if (source === undefined || source === '') return undefined;
  return { source, message: textAt(query, 'proposalMessage') ?? '', ...requestOrigin };
}

export function proposed(proposal: Proposal): Reply {
  return { status: 202, body: proposal, location: `/api/v1/proposals/${encodeURIComponent(proposal.source)}/${proposal.number}` };
}

/** Routes of proposals. What they propose is a call of the other routes with `propose`. */
export const PROPOSAL_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/proposals',
    operationId: 'listProposals',
    summary: 'List the proposed changes of resources in your environments, newest first',
    tag: 'Proposals',
    query: PAGE_QUERY,
    replies: {
      200: {
        description: 'A page of proposals, and the sources whose forge does not answer',
        schema: pageOf('Proposal', { unavailable: { type: 'array', items: object({ source: text, message: text }) } }),
      },
    },
    handle: async ({ operations, actor, query }) => {
      const { proposals, unavailable } = await operations.listProposals(actor);
      const keyed = proposals.map((proposal, index) => ({ proposal, key: String(index).padStart(8, '0') }));
      const { items, ...rest } = pageOfItems(keyed, ({ key }) => key, query);
      return { status: 200, body: { items: items.map(({ proposal }) => proposal), ...rest, unavailable } };
    },
  },
  {
    method: 'get',
    path: '/proposals/{source}/{number}',
    operationId: 'showProposal',
    summary: 'Get a proposal with its status at its forge and in the cluster',
    tag: 'Proposals',
    replies: { 200: { description: 'The proposal', schema: ref('Proposal') } },
    handle: async ({ operations, actor, params }) => {
      const input = { source: params['source'] ?? '', number: Number(params['number']) };
      return { status: 200, body: await operations.showProposal(actor, input) };
    },
  },
];

/** Schemas of proposals. */
export const PROPOSAL_SCHEMAS = {
  InstanceOwner: object(
    {
      owner: {
        ...object({ tool: { enum: OWNER_TOOLS }, name: text, namespace: text, repository: text, path: text }, ['tool', 'name']),
        description: 'Absent for an instance that nothing in git describes',
      },
      sources: { type: 'array', items: text, description: 'Values of `propose`, the one of the owner first' },
    },
    ['sources'],
  ),
  Proposal: object({
    source: { type: 'string', description: 'The CatalogSource whose repository it changes' },
    number: { type: 'integer', description: 'What its forge counts it by' },
    url: { type: 'string', description: 'The page of the merge request' },
    title: text,
    branch: text,
    created: time,
    resource: object({ apiVersion: text, kind: text, namespace: text, name: text }, ['apiVersion', 'kind', 'name']),
    proposedBy: text,
    status: {
      enum: PROPOSAL_STATUSES,
      description: '`Merged`: not applied yet. `Synced`: the source applied it. `Healthy`: so is the resource',
    },
  }),
} as const;
