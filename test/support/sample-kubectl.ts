import { personKubeconfig } from '../../src/domain/kubectl/kubeconfig.ts';
import type { Operations } from '../../src/operation/operations.ts';
import { AppError } from '../../src/domain/core/errors.ts';
import { page, type SamplePage } from './sample-page.ts';

/** Everybody has kubectl but the admin. */
export const SAMPLE_KUBECTL_OPERATIONS = {
  showCiContext: async ({ user }) => {
    throw new AppError('InvalidInput', `ci context: ${user} is no CI job`);
  },
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

/** The page in its states. */
export const KUBECTL_PAGES: readonly SamplePage[] = [
  page('/account/kubectl?environment=team-a', 'dev-a', {
    title: 'Use kubectl',
    holds: ['href="/account/kubeconfig?environment&#x3D;team-a"', 'team-a@apps.example.com', 'chandlery kubeconfig -e team-a'],
  }),
  page('/account/kubectl', 'admin', { title: 'Use kubectl', holds: ['an admin sets --cluster-url'] }),
];
