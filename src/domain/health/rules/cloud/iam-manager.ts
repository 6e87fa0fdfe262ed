import { absent, all, degraded, field, healthy, not, otherwise, progressing, type HealthRules } from '../rule.ts';

const ROLE = "'{status.roleName|<none>}' with ARN '{status.roleARN|<none>}' and ID '{status.roleID|<none>}'";
const failed = not(field('status.state', 'Ready', ''));

/** Keiko iam-manager (github.com/keikoproj/iam-manager): a role of AWS. */
export const iamManager: HealthRules = {
  'iammanager.keikoproj.io/Iamrole': [
    progressing(absent('status.state'), 'Waiting for Iamrole to be reconciled'),
    degraded(
      all(failed, not(field('status.retryCount', 0))),
      `Failed to reconcile the Iamrole (retry {status.retryCount|0}) for role ${ROLE}. Reconciliation error was: {status.errorDescription}`,
    ),
    degraded(failed, `Failed to reconcile the Iamrole for role ${ROLE}. Reconciliation error was: {status.errorDescription}`),
    healthy(field('status.state', 'Ready'), "Role '{status.roleName}' exists with ARN '{status.roleARN}' and ID '{status.roleID}'."),
    progressing(otherwise, 'Waiting for Iamrole to be reconciled'),
  ],
};
