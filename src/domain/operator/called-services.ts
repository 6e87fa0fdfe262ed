import { OPERATOR_KIND } from './kind/operator-kind.ts';
import { specOf } from '../kind/kind.ts';
import { API_SERVICE, MUTATING_WEBHOOK_CONFIGURATION, VALIDATING_WEBHOOK_CONFIGURATION } from '../kubernetes/resource-types.ts';
import { operatorLabelValue, parseOperatorSpec } from './operator-spec.ts';
import { OURS } from '../kubernetes/names.ts';
import { at, isObject, listAt, numberAt, objectAt, textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion, type ResourceType } from '../kubernetes/resource.ts';
import { unansweredSentence, type Unanswered } from '../kubernetes/unanswered.ts';

/** A Service that the api-server calls. */
export interface CalledService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Something that the api-server calls, and the resource that says so. */
export interface Called {
  /** `webhook "a.example.com" of the ValidatingWebhookConfiguration x`. */
  readonly what: string;
  /** Absent for one outside of the cluster. */
  readonly service?: CalledService;
}

export const CALLERS: readonly ResourceType[] = [VALIDATING_WEBHOOK_CONFIGURATION, MUTATING_WEBHOOK_CONFIGURATION, API_SERVICE];

/** What of a webhook configuration, an APIService or a CRD stops requests when it does not answer. Webhooks whose failure is ignored stop nothing. */
export function calledBy(object: KubeObject): readonly Called[] {
  switch (object.kind) {
    case 'ValidatingWebhookConfiguration':
    case 'MutatingWebhookConfiguration':
      return listAt(object, 'webhooks')
        .filter((webhook) => textAt(webhook, 'failurePolicy') !== 'Ignore')
        .map((webhook) => ({
          what: `webhook "${textAt(webhook, 'name') ?? ''}" of the ${nameOf(object)}`,
          ...serviceIn(at(webhook, 'clientConfig')),
        }));
    case 'APIService':
      return at(object.spec, 'service') === undefined ? [] : [{ what: nameOf(object), ...serviceIn(object.spec) }];
    case 'CustomResourceDefinition': {
      const config = objectAt(object.spec, 'conversion', 'webhook', 'clientConfig');
      return textAt(object.spec, 'conversion', 'strategy') === 'Webhook'
        ? [{ what: `conversion webhook of the ${nameOf(object)}`, ...serviceIn(config) }]
        : [];
    }
    default:
      return [];
  }
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

function serviceIn(config: unknown): Pick<Called, 'service'> {
  const service = at(config, 'service');
  if (!isObject(service)) return {};
  return {
    service: { namespace: textAt(service, 'namespace') ?? '', name: textAt(service, 'name') ?? '', port: numberAt(service, 'port') ?? 443 },
  };
}

/** Whether it is this webhook configuration, CRD or APIService that names what did not answer. */
export function isNamedBy(unanswered: Unanswered, object: KubeObject): boolean {
  switch (unanswered.kind) {
    case 'Admission':
      return listAt(object, 'webhooks').some(
        (webhook) => textAt(webhook, 'name') === unanswered.webhook && isCalledAt(at(webhook, 'clientConfig'), unanswered.url),
      );
    case 'Conversion':
      return (
        textAt(object.spec, 'names', 'kind') === unanswered.of &&
        textAt(object.spec, 'group') === parseApiVersion(unanswered.apiVersion).group
      );
    case 'APIService':
      return object.kind === 'APIService' && object.metadata.name === unanswered.name;
    default:
      return unanswered satisfies never;
  }
}

function isCalledAt(config: unknown, url: string): boolean {
  const { service } = serviceIn(config);
  if (service !== undefined) return url.startsWith(`https://${service.name}.${service.namespace}.svc`);
  return url.startsWith(textAt(config, 'url') ?? '');
}

/** The Operator that has brought an object, by the release in Helm's annotations or by our label. */
function bringerOf({ metadata }: KubeObject, operators: readonly KubeObject[]): KubeObject | undefined {
  const { labels = {}, annotations = {} } = metadata;
  const [release, namespace] = [annotations['meta.helm.sh/release-name'], annotations['meta.helm.sh/release-namespace']];
  const label = labels[OURS.operatorLabel];
  return operators.find((operator) => {
    const spec = parseOperatorSpec(operator);
    if (label !== undefined) return label === operatorLabelValue(operator.metadata.namespace ?? '', operator.metadata.name);
    return release !== undefined && spec.releaseName === release && spec.targetNamespace === namespace;
  });
}

/**
 * What did not answer, the configuration that names it, the Service behind it and who has brought it, in sentences.
 *
 * @param found the configuration; undefined when it was not found.
 */
export function explainUnanswered(
  unanswered: Unanswered,
  { found, operators }: { readonly found: KubeObject | undefined; readonly operators: readonly KubeObject[] },
): string {
  if (found === undefined) return unansweredSentence(unanswered);
  const called = calledBy(found);
  const one = called.find(({ what }) => unanswered.kind !== 'Admission' || what.includes(`"${unanswered.webhook}"`));
  const operator = bringerOf(found, operators);
  const release = found.metadata.annotations?.['meta.helm.sh/release-name'];
  const { namespace = '', name = '' } = operator?.metadata ?? {};
  const display = operator && specOf(OPERATOR_KIND, operator).catalog.displayName;
  const owner =
    operator !== undefined
      ? ` It belongs to the Operator ${namespace}/${name}${display === undefined ? '' : ` (${display})`}.`
      : release === undefined
        ? ''
        : ` It belongs to the Helm release ${found.metadata.annotations?.['meta.helm.sh/release-namespace'] ?? ''}/${release}.`;
  const service =
    one?.service === undefined ? '' : ` The api-server calls the Service ${one.service.namespace}/${one.service.name} for it.`;
  return `The ${one?.what ?? nameOf(found)} does not answer: ${unanswered.why}.${service}${owner} The api-server rejects this until it answers`;
}
