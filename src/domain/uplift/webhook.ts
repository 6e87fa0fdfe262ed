import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { listOf } from './fields.ts';
import type { Fields } from './fields.ts';

export const webhookRules: RuleTable = rulesFor(
  ['admissionregistration.k8s.io/v1beta1'],
  ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  liftWebhooks,
);

/** What v1beta1 took for granted and v1 does not. */
const OLD_DEFAULTS = { failurePolicy: 'Ignore', matchPolicy: 'Exact', timeoutSeconds: 30, admissionReviewVersions: ['v1beta1'] };

function liftWebhooks(object: KubeObject): Lifted {
  const webhooks = listOf(object['webhooks']);
  const failed = webhooks.map(whyNot).find((reason) => reason !== undefined);
  if (failed !== undefined) return { failed };
  const current = webhooks.map((webhook) => ({ ...OLD_DEFAULTS, ...webhook }));
  return {
    object: { ...object, apiVersion: 'admissionregistration.k8s.io/v1', webhooks: current },
    notes: ['the old defaults for failure policy, match policy, timeout and review versions are written out'],
  };
}

function whyNot(webhook: Fields): string | undefined {
  const name = JSON.stringify(webhook['name'] ?? '');
  const effects = webhook['sideEffects'] ?? 'Unknown';
  if (effects !== 'None' && effects !== 'NoneOnDryRun') {
    return `the webhook ${name} has sideEffects ${JSON.stringify(effects)}; the current API requires None or NoneOnDryRun, which only its author can declare`;
  }
  const versions = webhook['admissionReviewVersions'] ?? ['v1beta1'];
  if (Array.isArray(versions) && versions.some((version) => version === 'v1' || version === 'v1beta1')) return undefined;
  return `the webhook ${name} understands none of the review versions v1 and v1beta1`;
}
