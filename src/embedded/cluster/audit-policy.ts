import { stringify } from 'yaml';

const SYSTEM_USERS = ['system:apiserver', 'system:kube-controller-manager', 'system:kube-scheduler', 'chandlery:kwok'];
/** The controller manager uses one of these accounts for each of its controllers. */
const SYSTEM_GROUPS = ['system:serviceaccounts:kube-system'];

/**
 * The audit policy: who asked for what, with what outcome, but no bodies, which hold secrets. Left out is only what the cluster's own
 * programs read or renew for themselves. The policy looks at the authenticated user, so a request with impersonation is never left out.
 */
export function renderAuditPolicy(): string {
  return stringify(
    {
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [
        { level: 'None', users: SYSTEM_USERS, verbs: ['get', 'list', 'watch'] },
        { level: 'None', userGroups: SYSTEM_GROUPS, verbs: ['get', 'list', 'watch'] },
        { level: 'None', users: SYSTEM_USERS, resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }] },
        { level: 'Metadata' },
      ],
    },
    { aliasDuplicateObjects: false },
  );
}
