import { at, isObject, listAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import {
  absent,
  condition,
  degraded,
  either,
  field,
  type HealthRule,
  type HealthRules,
  healthy,
  otherwise,
  outdated,
  progressing,
  unreported,
} from './rule.ts';
import { conditionsIn } from './conditions.ts';

/** An issuer, whose `Ready` is true once its account or key was verified. */
function issuer(initializing: string): HealthRule {
  return [healthy(condition('Ready')), degraded(condition('Ready', 'False')), progressing(otherwise, initializing)];
}

/** cert-manager: `Issuing` stands beside `Ready` while a certificate is being issued or renewed. */
const certManager: HealthRules = {
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

const READY: HealthRule = [
  healthy(condition('Ready')),
  degraded(condition('Ready', 'False')),
  progressing(otherwise, 'Waiting for {kind}'),
];

/** External Secrets Operator (external-secrets.io), and the archived project of GoDaddy from which it came. */
const externalSecrets: HealthRules = {
  'external-secrets.io/ClusterExternalSecret': [healthy(condition('Ready')), degraded(condition(['NotReady', 'PartiallyReady'])), ...READY],
  'external-secrets.io/*': READY,
  'kubernetes-client.io/ExternalSecret': [
    healthy(field('status.status', 'SUCCESS'), 'Fetched ExternalSecret.'),
    fetchFailed,
    progressing(otherwise, 'Waiting for ExternalSecret.'),
  ],
};

/** One field holds the word and what went wrong. */
function fetchFailed({ status }: KubeObject): Health | undefined {
  const text = textAt(status, 'status') ?? '';
  return text.startsWith(FAILED) ? { status: 'Degraded', message: text.slice(FAILED.length) } : undefined;
}

const FAILED = 'ERROR, ';

/** Keycloak's operator (keycloak.org), whose conditions have no reasons. */
const keycloak: HealthRules = {
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

const POLICY: HealthRule = [
  healthy(condition('Ready'), '{kind} is ready'),
  degraded(condition('Ready', 'False')),
  progressing(otherwise, 'Waiting for {kind} to be ready'),
];

const POLICY_READY = 'status.conditionStatus.ready';

/** Kyverno (kyverno.io); its policies in CEL report below `conditionStatus`. */
const kyverno: HealthRules = {
  'kyverno.io/Policy': POLICY,
  'kyverno.io/ClusterPolicy': POLICY,
  'policies.kyverno.io/*': [
    healthy(field(POLICY_READY, true), '{kind} is ready'),
    degraded(unmetPolicy),
    progressing(field(POLICY_READY, false), '{status.conditionStatus.message|Waiting for {kind} to be ready}'),
  ],
};

/** What a policy lacks, such as a permission of Kyverno. */
function unmetPolicy({ status }: KubeObject): string | undefined {
  return conditionsIn(at(status, 'conditionStatus', 'conditions')).find(
    ({ status: held, reason }) => held === 'False' && reason === 'Failed',
  )?.message;
}

/** Gatekeeper (open-policy-agent.github.io/gatekeeper): each of its pods compiles a template by itself. */
const gatekeeper: HealthRules = {
  'templates.gatekeeper.sh/ConstraintTemplate': [
    uncompiled,
    healthy(field('status.created', true), '{kind} is compiled'),
    progressing(otherwise, 'Waiting for {kind} to be compiled'),
  ],
};

function uncompiled({ status }: KubeObject): Health | undefined {
  const [error] = listAt(status, 'byPod').flatMap((pod) => listAt(pod, 'errors'));
  return error === undefined ? undefined : { status: 'Degraded', message: textAt(error, 'message') ?? 'The template does not compile' };
}

/** The Operator of 1Password (developer.1password.com/docs/k8s). */
const onePassword: HealthRules = {
  'onepassword.com/OnePasswordItem': [
    healthy(condition('Ready')),
    degraded(condition('Ready', 'False')),
    progressing(otherwise, 'Waiting for controller to report status'),
  ],
};

const COMPLIANT = 'status.compliant';
const UNREPORTED = progressing(unreported, 'Waiting for the status to be reported');
const STALE = 'Waiting for the status to be updated';

/** What was last found out about each template of the policy. */
function details(_: string, { status }: KubeObject): string {
  return listAt(status, 'compliancyDetails')
    .slice(0, MAX_TEMPLATES)
    .flatMap((detail) => conditionsIn(at(detail, 'conditions')))
    .map(({ type, message }) => `${type} - ${message}`)
    .join('; ');
}

const MAX_TEMPLATES = 200;

/** The same of a policy for certificates, by namespace. */
function detailsByNamespace(_: string, { status }: KubeObject): string {
  const namespaces = at(status, 'compliancyDetails');
  const found = isObject(namespaces) ? Object.values(namespaces).slice(0, MAX_TEMPLATES) : [];
  return found
    .map((detail) => at(detail, 'message'))
    .filter((message) => typeof message === 'string')
    .join('; ');
}

function rule(wording: (found: string, object: KubeObject) => string): HealthRule {
  return [
    UNREPORTED,
    progressing(outdated('status.lastEvaluatedGeneration'), STALE),
    degraded(field(COMPLIANT, 'NonCompliant'), wording),
    healthy(field(COMPLIANT, 'Compliant'), wording),
    progressing(otherwise, 'Waiting for the status to be reported'),
  ];
}

/** What is spread over clusters sums up what they say. */
const spread: HealthRule = [
  degraded(field(COMPLIANT, 'NonCompliant')),
  healthy(field(COMPLIANT, 'Compliant')),
  progressing(otherwise, 'Waiting for the status to be reported'),
];

/** Policies of Open Cluster Management (open-cluster-management.io): whether a cluster is as it should be. */
const openClusterManagement: HealthRules = {
  'policy.open-cluster-management.io/ConfigurationPolicy': rule(details),
  'policy.open-cluster-management.io/CertificatePolicy': rule(detailsByNamespace),
  'policy.open-cluster-management.io/OperatorPolicy': [
    UNREPORTED,
    progressing(outdated(), STALE),
    healthy(condition('Compliant')),
    degraded(condition('Compliant', 'False')),
    progressing(otherwise, 'Waiting for the compliance condition'),
  ],
  'policy.open-cluster-management.io/Policy': spread,
  'policy.open-cluster-management.io/PolicySet': spread,
};

/** Sealed Secrets (github.com/bitnami-labs/sealed-secrets). */
const sealedSecrets: HealthRules = {
  'bitnami.com/SealedSecret': [
    healthy(condition('Synced')),
    degraded(condition('Synced', 'False')),
    progressing(otherwise, 'Waiting for Sealed Secret to be decrypted'),
  ],
};

export const security: readonly HealthRules[] = [
  certManager,
  externalSecrets,
  keycloak,
  gatekeeper,
  kyverno,
  onePassword,
  openClusterManagement,
  sealedSecrets,
];
