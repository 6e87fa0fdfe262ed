import { textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import type { Health } from '../../health.ts';
import { condition, degraded, field, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

const READY: HealthRule = [
  healthy(condition('Ready')),
  degraded(condition('Ready', 'False')),
  progressing(otherwise, 'Waiting for {kind}'),
];

/** External Secrets Operator (external-secrets.io), and the archived project of GoDaddy from which it came. */
export const externalSecrets: HealthRules = {
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
