import { AppError } from '../../src/domain/core/errors.ts';
import type { Proposal, ProposalStatus } from '../../src/domain/proposal/proposal.ts';
import type { Operations } from '../../src/operation/operations.ts';

const PROPOSED: readonly (readonly [ProposalStatus, string])[] = [
  ['Open', 'Change orders'],
  ['Merged', 'Install sessions'],
  ['Synced', 'Upgrade postgres-operator to 1.5.0'],
  ['Healthy', 'Add the operator cache-operator'],
  ['Closed', 'Change ledger'],
];

const SAMPLE_PROPOSALS: readonly Proposal[] = PROPOSED.map(([status, title], index) => ({
  source: 'team-a',
  number: 42 - index,
  url: `https://git.example.com/platform/catalog/pulls/${42 - index}`,
  title,
  branch: `chandlery/${title.toLowerCase().replaceAll(' ', '-')}-1f2e3d4c`,
  created: `2026-11-${20 - index}T09:30:00Z`,
  resource: { apiVersion: 'samples.chandlery.dev/v1', kind: 'PostgresCluster', namespace: 'team-a', name: title.split(' ').at(-1) ?? '' },
  proposedBy: 'oidc:dev-a',
  status,
}));

const OWNER = {
  tool: 'CatalogSource',
  name: 'team-a',
  repository: 'https://git.example.com/team-a/apps.git',
  path: 'clusters/one/apps.yaml',
} as const;

const absent = (): never => {
  throw new AppError('Forbidden', 'not in the samples');
};

/** What the samples say of proposals. */
export const SAMPLE_PROPOSAL_OPERATIONS = {
  listProposals: async () => ({
    proposals: SAMPLE_PROPOSALS,
    unavailable: [{ source: 'shop', message: 'forge: git.shop.example.com: no answer within 20 seconds' }],
  }),
  showOwner: async (_actor, { name }) => ({
    ...(name === 'reports' ? { owner: OWNER } : {}),
    sources: ['team-a'],
  }),
  showOperatorOwner: async () => ({ sources: ['team-a'] }),
  showProposal: async () => SAMPLE_PROPOSALS[0] ?? absent(),
  listProposalTargets: async () => ['team-a'],
  proposeChange: absent,
  proposeInstall: absent,
  proposeOperator: absent,
  proposeRequest: absent,
  proposeUpgrade: absent,
} satisfies Partial<Operations>;
