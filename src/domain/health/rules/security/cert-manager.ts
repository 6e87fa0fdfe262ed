import { condition, degraded, either, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

/** An issuer, whose `Ready` is true once its account or key was verified. */
function issuer(initializing: string): HealthRule {
  return [healthy(condition('Ready')), degraded(condition('Ready', 'False')), progressing(otherwise, initializing)];
}

/** cert-manager: `Issuing` stands beside `Ready` while a certificate is being issued or renewed. */
export const certManager: HealthRules = {
  'cert-manager.io/Certificate': [
    progressing(either(condition('Issuing'), condition('Ready', 'False', ['Issuing', 'InProgress', 'Pending']))),
    healthy(condition('Ready')),
    degraded(condition('Ready', 'False')),
    progressing(otherwise, 'Waiting for certificate'),
  ],
  'cert-manager.io/ClusterIssuer': issuer('Initializing ClusterIssuer'),
  'cert-manager.io/Issuer': issuer('Initializing issuer'),
  'certmanager.k8s.io/Issuer': issuer('Initializing issuer'),
};
