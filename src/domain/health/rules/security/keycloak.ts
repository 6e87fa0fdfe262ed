import { absent, condition, degraded, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

/** Keycloak's operator (keycloak.org), whose conditions have no reasons. */
export const keycloak: HealthRules = {
  'k8s.keycloak.org/Keycloak': [
    degraded(condition('HasErrors'), 'Has Errors: {}'),
    healthy(condition('Ready'), ''),
    progressing(absent('status.conditions'), 'Waiting for Keycloak status conditions to exist'),
    progressing(otherwise, ''),
  ],
  'k8s.keycloak.org/KeycloakRealmImport': [
    degraded(condition('HasErrors'), 'Has Errors: {}'),
    healthy(condition('Done')),
    progressing(otherwise, 'Waiting for KeycloakRealmImport to be done'),
  ],
};
