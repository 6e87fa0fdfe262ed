import { AppError } from '../../src/domain/core/errors.ts';
import type { Preflight, InstanceView } from '../../src/domain/instance/instance.ts';
import type { ChangeRequestSummary, ChangeRequestView } from '../../src/operation/change-request/show-change-request.ts';
import type { Operations } from '../../src/operation/operations.ts';

const OPEN: ChangeRequestSummary = {
  id: '1'.repeat(32),
  action: 'install',
  environment: 'shop',
  app: 'postgresclusters.samples.chandlery.dev',
  name: 'orders',
  content: { instances: 3, storage: { size: '20Gi' } },
  preflightSummary: {
    verdict: 'Blocked',
    blocked: ['You may not create postgresclusters.samples.chandlery.dev in the namespace shop.'],
    warned: [],
  },
  requester: { user: 'oidc:dev-a', groups: ['oidc:team-a'] },
  message: 'For the sale on Friday.\nIt can go on Monday.',
  created: '2026-11-20T09:00:00.000Z',
  expires: '2026-12-04T09:00:00.000Z',
  state: 'open',
};
const MOVED: ChangeRequestSummary = { ...OPEN, id: '2'.repeat(32), action: 'change', content: { instances: 5, note: null }, message: '' };
const DECLINED: ChangeRequestSummary = {
  ...OPEN,
  id: '3'.repeat(32),
  state: 'declined',
  decidedBy: 'oidc:admin',
  decidedAt: '2026-11-21T08:00:00.000Z',
  decisionMessage: 'Too large for the shop; ask for 5Gi.',
};
const APPROVED: ChangeRequestSummary = {
  ...OPEN,
  id: '4'.repeat(32),
  environment: 'team-a',
  state: 'approved',
  decidedBy: 'oidc:admin',
  decidedAt: '2026-11-21T08:00:00.000Z',
  decisionMessage: '',
};
const ALL = [OPEN, MOVED, DECLINED, APPROVED];

type ChangeRequestOperations = Pick<
  Operations,
  | 'createChangeRequest'
  | 'listChangeRequests'
  | 'countChangeRequests'
  | 'showChangeRequest'
  | 'approveChangeRequest'
  | 'declineChangeRequest'
  | 'withdrawChangeRequest'
>;

/** Change requests of dev-a; the admin may decide them. */
export function sampleChangeRequests(preflight: (name: string) => Preflight, instance: () => InstanceView): ChangeRequestOperations {
  const mayDecide = (user: string): boolean => user === 'oidc:admin';
  return {
    createChangeRequest: async () => OPEN,
    listChangeRequests: async ({ user }) => (mayDecide(user) ? { mine: [], waiting: [OPEN, MOVED] } : { mine: ALL, waiting: [] }),
    countChangeRequests: async ({ user }) => (mayDecide(user) ? 2 : 0),
    showChangeRequest: async ({ user }, id): Promise<ChangeRequestView> => {
      const changeRequest = ALL.find((one) => one.id === id);
      if (changeRequest === undefined) throw new AppError('NotFound', 'change request: there is no request at this URL that you may see');
      const access = { mine: !mayDecide(user), mayDecide: mayDecide(user), appliedBy: 'TokenOfApprover' as const };
      const view = { changeRequest, ...access, instanceChanged: changeRequest === MOVED };
      if (changeRequest.state !== 'open') return view;
      const command = mayDecide(user)
        ? { command: `kubectl patch changerequest orders-1f2e3d4c --namespace ${changeRequest.environment}` }
        : {};
      return { ...view, digest: 'd', ...command, preflight: preflight(mayDecide(user) ? 'orders' : 'blocked') };
    },
    approveChangeRequest: async (_actor, { digest }) => {
      if (digest !== 'd') throw new AppError('Conflict', 'change request: its effect has changed since you opened it: review it again');
      return instance();
    },
    declineChangeRequest: async () => undefined,
    withdrawChangeRequest: async () => undefined,
  };
}
