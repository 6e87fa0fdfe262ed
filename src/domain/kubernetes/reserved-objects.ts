import { OURS } from './names.ts';
import { textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from './resource.ts';

/** The API groups that Chandlery serves, beside `chandlery.dev` and everything below it. */
export const RESERVED_GROUPS: readonly string[] = [
  OURS.group,
  OURS.operatorGroup,
  'workflows.kubeplus',
  'gitlabdeploymentcontroller.gitlab.com',
];

/** The one domain below ours that charts may use: that of the sample operators. */
export const SAMPLE_GROUP = `samples.${OURS.group}`;

/** The ClusterRoles that Chandlery applies, and those that it makes for each App and Environment. */
const RESERVED_ROLE = /^chandlery-(admin|viewer|developer|maintainer|deployer|helm-user|operator-events|(base|app|environment)-.+)$/;
const RESERVED_BINDING = /^chandlery-(demo-admin|admins-.+|environment-.+|viewer|developer|maintainer|deployer|helm-user)$/;

/** Labels by which Chandlery knows what it made itself. Its own label replaces the first one on a CRD. */
const OWNER_LABELS: readonly string[] = [OURS.operatorLabel, OURS.environmentLabel, OURS.sourceLabel];

/** The type of the Secrets in which Helm keeps the revisions of a release. */
const HELM_RECORD = 'helm.sh/release.v1';
const HELM_RECORD_NAME = 'sh.helm.release.v1.';

/** Whether an API group is Chandlery's own, so that no chart and no operator may define kinds in it. */
export function isReservedGroup(group: string): boolean {
  if (group === SAMPLE_GROUP || group.endsWith(`.${SAMPLE_GROUP}`)) return false;
  return RESERVED_GROUPS.includes(group) || group.endsWith(`.${OURS.group}`);
}

/** Whether a CustomResourceDefinition defines a kind in a group of Chandlery's own. */
export function isReservedCrd({ metadata, spec }: KubeObject): boolean {
  return isReservedGroup(textAt(spec, 'group') ?? '') || isReservedCrdName(metadata.name);
}

/** The same by the name of the CRD, `plural.group`. */
export function isReservedCrdName(name: string): boolean {
  return isReservedGroup(groupOfName(name));
}

/** Why objects may not come from a chart, a sentence each: they belong to Chandlery. Empty when all of them may. */
export function reservedObjects(objects: readonly KubeObject[]): string[] {
  return objects.flatMap((object) => {
    const why = reservedBecause(object);
    return why === undefined ? [] : [`${object.kind} "${object.metadata.name}": ${why}; remove it from the chart`];
  });
}

function reservedBecause(object: KubeObject): string | undefined {
  const { apiVersion, kind, metadata, spec } = object;
  const { group } = parseApiVersion(apiVersion);
  if (isReservedGroup(group)) return `${apiVersion} is an API of Chandlery itself, whose resources come from people and catalogue sources`;
  if (kind === 'CustomResourceDefinition' && isReservedCrd(object))
    return reservedGroup(textAt(spec, 'group') ?? groupOfName(metadata.name));
  if (kind === 'APIService') {
    const served = [textAt(spec, 'group') ?? '', groupOfName(metadata.name)].find(isReservedGroup);
    if (served !== undefined) return reservedGroup(served);
  }
  return reservedName(object) ?? reservedLabel(object);
}

function reservedGroup(group: string): string {
  return `the API group ${group} belongs to Chandlery`;
}

function reservedName(object: KubeObject): string | undefined {
  const { kind, metadata } = object;
  switch (kind) {
    case 'ClusterRole':
      return RESERVED_ROLE.test(metadata.name) ? 'Chandlery has a role of this name' : undefined;
    case 'ClusterRoleBinding':
    case 'RoleBinding': {
      const role = textAt(object, 'roleRef', 'name') ?? '';
      if (textAt(object, 'roleRef', 'kind') === 'ClusterRole' && RESERVED_ROLE.test(role))
        return `it grants ${role}, a role of Chandlery that only admins and Environments grant`;
      return RESERVED_BINDING.test(metadata.name) ? 'Chandlery has a binding of this name' : undefined;
    }
    case 'Namespace':
      return metadata.name === OURS.systemNamespace ? 'it is the namespace of Chandlery' : undefined;
    case 'Secret':
      return isReleaseRecord(object) ? 'it is a release record, which only Helm writes' : undefined;
    case 'ValidatingAdmissionPolicy':
    case 'ValidatingAdmissionPolicyBinding':
    case 'MutatingAdmissionPolicy':
    case 'MutatingAdmissionPolicyBinding':
      return metadata.name.startsWith('chandlery') ? 'Chandlery has policies of such names' : undefined;
    default:
      return undefined;
  }
}

/** Whether Helm, or a policy that guards its records, would take a Secret for the record of a revision. */
function isReleaseRecord(secret: KubeObject): boolean {
  const { name, labels = {} } = secret.metadata;
  return textAt(secret, 'type') === HELM_RECORD || name.startsWith(HELM_RECORD_NAME) || labels['owner'] === 'helm';
}

function reservedLabel({ kind, metadata }: KubeObject): string | undefined {
  const keys = Object.keys(metadata.labels ?? {});
  const aggregates = keys.find((key) => key.startsWith(OURS.aggregateLabel));
  if (aggregates !== undefined) return `the label ${aggregates} adds its rules to a role of Chandlery`;
  const owner = kind === 'CustomResourceDefinition' ? undefined : keys.find((key) => OWNER_LABELS.includes(key));
  return owner === undefined ? undefined : `only Chandlery sets the label ${owner}`;
}

/** Of `plural.group` or `version.group`. */
function groupOfName(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
