import { personKubeconfig } from '../../src/domain/kubectl/kubeconfig.ts';
import type { Operations } from '../../src/operation/operations.ts';
import { AppError } from '../../src/domain/core/errors.ts';

/** Everybody has kubectl but the admin. */
export const SAMPLE_KUBECTL_OPERATIONS = {
  showKubeconfig: async ({ user }, { environment }) => {
    if (user === 'oidc:admin') throw new AppError('KubectlUnavailable', 'kubeconfig: an admin sets --cluster-url');
    return personKubeconfig({
      cluster: { server: 'https://kubernetes.example.com' },
      host: 'apps.example.com',
      user,
      program: ['chandlery', 'credential', '--issuer=https://login.example.com', '--client-id=chandlery-cli', `--user=${user}`],
      ...(environment === undefined ? {} : { environment: { name: environment, namespace: environment } }),
    });
  },
} satisfies Partial<Operations>;
