import { AGE_COLUMN, type Kind, MESSAGE_COLUMN, READY_COLUMN, specOf } from '../kind/kind.ts';
import { conditionsField, foreign, generation, integer, map, object, optional, orEmpty, text, type ValueOf } from '../kind/field.ts';
import { uploadOfKubePlus } from '../app-definition/uploaded-chart.ts';
import { parseQuantity } from '../core/quantity.ts';
import { listAt } from '../core/read.ts';
import { isLabelValue } from '../kubernetes/label-selector.ts';
import { OURS } from '../kubernetes/names.ts';
import { RESOURCE_COMPOSITION } from '../kubernetes/resource-types.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

const name = (description: string) => optional(text({ description, maxLength: 253 }));

/** KubePlus checks none of its quantities, so a value that is none is a note and not an error. */
const quantities = (description: string) => optional(map(text({ maxLength: 100 }), { description, maxProperties: 16 }));

const head = {
  apiVersion: name('As KubePlus writes it. Not read.'),
  kind: name('As KubePlus writes it. Not read.'),
  metadata: optional(foreign({ description: 'As KubePlus writes it. Not read.' })),
};
const about = optional(foreign({ description: 'The kind that it is about, as KubePlus writes it. Not read: it is that of newResource.' }));

const podconfig = object(
  {
    limits: quantities('The limits of containers without limits of their own, for example cpu and memory.'),
    requests: quantities('The requests of containers without requests of their own.'),
    nodeSelector: optional(
      text({
        description:
          'The name of the node of the pods, or the value of the instance that names it, for example values.nodeName. The node is that with the name in its label kubernetes.io/hostname.',
        maxLength: 500,
      }),
    ),
  },
  { description: 'What pods of instances have.' },
);

const policy = object(
  {
    podconfig: optional(podconfig),
    quota: quantities('The most that an instance may hold, as the hard limits of a ResourceQuota, for example requests.cpu.'),
  },
  { description: 'What holds for each instance.' },
);

const spec = object(
  {
    newResource: object(
      {
        resource: object(
          {
            kind: text({ description: 'The kind that is generated, for example HelloWorldService.', maxLength: 63 }),
            group: name(`Its group for KubePlus. The kinds of Chandlery are in ${OURS.appsGroup}.`),
            version: name(`Its version for KubePlus. That of Chandlery is ${OURS.appsVersion}.`),
            plural: optional(text({ description: 'The plural in lower case, for example helloworldservices.', maxLength: 63 })),
          },
          { description: 'The kind whose instances are releases of the chart.' },
        ),
        chartURL: text({
          description:
            'The address of the chart archive: https, oci, or file for one under a configured root. The archive of an uploaded chart is file:///NAME-VERSION.tgz.',
          minLength: 1,
          maxLength: 2048,
        }),
        chartName: name(
          'The name of the chart. Has no effect: the condition Complete says so where the chart at chartURL has another name.',
        ),
      },
      { description: 'The kind and the chart.' },
    ),
    respolicy: optional(
      object(
        { ...head, spec: optional(object({ resource: about, policy: optional(policy) }, { description: 'The policy.' })) },
        { description: 'The policy of instances.' },
      ),
    ),
    resmonitor: optional(
      foreign({
        description: 'What KubePlus measures of instances. Not applied: the condition Complete says so; see the metrics of an Environment.',
      }),
    ),
  },
  { description: 'The kind, the chart, and the policy of its instances, as for KubePlus.' },
);

const status = object(
  {
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    status: orEmpty(text({ description: 'The sentence of the condition Ready.' })),
    appDefinition: optional(text({ description: 'The AppDefinition that Chandlery made of it.' })),
    crd: optional(text({ description: 'The name of the generated CustomResourceDefinition.' })),
    instances: optional(
      integer({
        description: 'How many instances of the kind block the deletion. Counted while the AppDefinition has the deletionPolicy Block.',
      }),
    ),
    conditions: conditionsField('the ResourceComposition'),
  },
  { description: 'What the controller found and did. Written by the controller alone.' },
);

export const RESOURCE_COMPOSITION_KIND: Kind<ValueOf<typeof spec>, ValueOf<typeof status>> = {
  type: RESOURCE_COMPOSITION,
  shortNames: ['rescomp'],
  description: 'A ResourceComposition is a chart that KubePlus offers as a kind. Chandlery makes an AppDefinition of it.',
  columns: [
    { name: 'Kind', type: 'string', jsonPath: '.spec.newResource.resource.kind' },
    { name: 'CRD', type: 'string', jsonPath: '.status.crd' },
    READY_COLUMN,
    { name: 'Complete', type: 'string', jsonPath: '.status.conditions[?(@.type=="Complete")].status' },
    { ...MESSAGE_COLUMN, priority: 1 },
    AGE_COLUMN,
  ],
  spec,
  status,
};

/** Whether a CRD named like ours is ours, and not that of a KubePlus in the same cluster. */
export function isOwnComposition(crd: KubeObject): boolean {
  return listAt(crd.spec, 'names', 'categories').includes('chandlery');
}

/** The AppDefinition of a ResourceComposition. */
export interface ComposedDefinition {
  readonly spec: object;
  /** What of the ResourceComposition has no effect, one clause each. */
  readonly omitted: readonly string[];
}

/** `spec.names.singular` of an AppDefinition is no longer. */
const MAX_SINGULAR = 40;

/**
 * What a ResourceComposition says as the spec of an AppDefinition. Throws as `specOf`.
 *
 * @param chartName the name of the chart at `chartURL`; undefined before it is fetched.
 */
export function definitionOf(composition: KubeObject, chartName?: string): ComposedDefinition {
  const { newResource, respolicy, resmonitor } = specOf(RESOURCE_COMPOSITION_KIND, composition);
  const { kind, plural, group = OURS.appsGroup, version = OURS.appsVersion } = newResource.resource;
  const singular = kind.toLowerCase();
  const names = { kind, ...(plural === undefined ? {} : { plural }), ...(singular.length > MAX_SINGULAR ? {} : { singular }) };
  const policy = policyOf(respolicy?.spec?.policy);
  const omitted = [
    ...(group === OURS.appsGroup && version === OURS.appsVersion
      ? []
      : [`newResource.resource: the kind is ${OURS.appsGroup}/${OURS.appsVersion} and not ${group}/${version}`]),
    ...(chartName === undefined || newResource.chartName === undefined || newResource.chartName === chartName
      ? []
      : [`newResource.chartName: the chart at chartURL is ${JSON.stringify(chartName)}, not ${JSON.stringify(newResource.chartName)}`]),
    ...policy.omitted,
    ...(resmonitor === undefined ? [] : ['resmonitor: the metrics of an Environment show its instances']),
  ];
  const chartURL = uploadOfKubePlus(newResource.chartURL);
  return { spec: { chartURL, names, namespaceMode: 'Dedicated', ...policy.spec }, omitted };
}

type Policy = NonNullable<NonNullable<NonNullable<ValueOf<typeof spec>['respolicy']>['spec']>['policy']>;
type Quantities = Readonly<Record<string, string>>;

/** The policy of the namespaces of instances; KubePlus gives each instance one. What containers have by default is a LimitRange, and the node is a label of it. */
function policyOf({ podconfig, quota }: Policy = {}): ComposedDefinition {
  const omitted: string[] = [];
  const selected = podconfig?.nodeSelector?.trim();
  const node = nodeOf(selected);
  if (node === undefined) omitted.push(`${POLICY}.podconfig.nodeSelector: ${JSON.stringify(selected)} is no name of a node`);
  const valid = (where: string, given: Quantities = {}): Quantities => {
    const entries = Object.entries(given);
    const wrong = entries.filter(([, value]) => (parseQuantity(value) ?? -1n) < 0n);
    omitted.push(...wrong.map(([name, value]) => `${POLICY}.${where}.${name}: ${JSON.stringify(value)} is no quantity`));
    return Object.fromEntries(entries.filter((entry) => !wrong.includes(entry)));
  };
  const parts = {
    hard: valid('quota', quota),
    default: valid('podconfig.limits', podconfig?.limits),
    defaultRequest: valid('podconfig.requests', podconfig?.requests),
  };
  const limit = Object.fromEntries(Object.entries({ default: parts.default, defaultRequest: parts.defaultRequest }).filter(isFilled));
  const policy = {
    ...(isFilled(['', parts.hard]) ? { quota: parts.hard } : {}),
    ...(isFilled(['', limit]) ? { limitRange: [{ type: 'Container', ...limit }] } : {}),
    ...node,
  };
  return { spec: isFilled(['', policy]) ? { policy } : {}, omitted };
}

/** The label by which KubePlus selects a node. */
const HOSTNAME = 'kubernetes.io/hostname';

/** KubePlus takes the node from a value of the instance, `values.nodeName`; by its documentation, it may be a fixed name as well. */
function nodeOf(given = ''): { readonly nodeSelector?: object; readonly nodeSelectorFrom?: object } | undefined {
  const path = /^values\.(.+)$/.exec(given)?.[1];
  if (path !== undefined) return { nodeSelectorFrom: { [HOSTNAME]: path } };
  if (given === '') return {};
  return isLabelValue(given) ? { nodeSelector: { [HOSTNAME]: given } } : undefined;
}

const POLICY = 'respolicy.spec.policy';

function isFilled([, members]: readonly [string, object]): boolean {
  return Object.keys(members).length > 0;
}
