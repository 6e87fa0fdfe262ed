import { at, isObject, listAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { conditionsIn } from '../conditions.ts';
import {
  condition,
  degraded,
  field,
  healthy,
  otherwise,
  outdated,
  progressing,
  unreported,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

const COMPLIANT = 'status.compliant';
const UNREPORTED = progressing(unreported, 'Waiting for the status to be reported');
const STALE = 'Waiting for the status to be updated';

/** What was last found out about each template of the policy. */
function details(_: string, { status }: KubeObject): string {
  return listAt(status, 'compliancyDetails')
    .slice(0, MOST_TEMPLATES)
    .flatMap((detail) => conditionsIn(at(detail, 'conditions')))
    .map(({ type, message }) => `${type} - ${message}`)
    .join('; ');
}

const MOST_TEMPLATES = 200;

/** The same of a policy for certificates, by namespace. */
function detailsByNamespace(_: string, { status }: KubeObject): string {
  const namespaces = at(status, 'compliancyDetails');
  const found = isObject(namespaces) ? Object.values(namespaces).slice(0, MOST_TEMPLATES) : [];
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
export const openClusterManagement: HealthRules = {
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
