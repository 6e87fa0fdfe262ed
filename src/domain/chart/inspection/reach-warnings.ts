import { at, isObject, listAt, textAt, textsAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { ChartWarning } from './inspection.ts';

/** More objects than this in one release are slow to install, to compare and to look at. */
const MANY_OBJECTS = 2000;
const HOOK = 'helm.sh/hook';
const AGGREGATE = /^rbac\.authorization\.k8s\.io\/aggregate-to-(.+)$/;
/** Verbs that give more than whoever holds them has. */
const ESCALATING = ['escalate', 'bind', 'impersonate'];
const EVERYBODY = /^Group system:(authenticated|unauthenticated|serviceaccounts|masters)$/;
/** Kinds that decide about requests of everybody. */
const ADMISSION: Readonly<Record<string, string>> = {
  ValidatingWebhookConfiguration: 'it can reject requests of the whole cluster',
  MutatingWebhookConfiguration: 'it can change and reject requests of the whole cluster',
  ValidatingAdmissionPolicyBinding: 'it can reject requests of the whole cluster',
  MutatingAdmissionPolicyBinding: 'it can change requests of the whole cluster',
  APIService: 'it answers for a whole API group of the cluster',
};

/** How far a chart reaches beyond its own namespace and its own objects, hooks included. */
export function reachWarnings(objects: readonly KubeObject[], namespace: string): ChartWarning[] {
  return [...countWarning(objects), ...objects.flatMap((object) => warningsOf(object, namespace))];
}

function countWarning({ length }: readonly KubeObject[]): ChartWarning[] {
  if (length <= MANY_OBJECTS) return [];
  const message = `it renders ${length.toLocaleString('en')} objects; above ${MANY_OBJECTS.toLocaleString('en')} a release is slow to install and to check`;
  return [{ code: 'ManyObjects', where: 'chart', message }];
}

function warningsOf(object: KubeObject, namespace: string): ChartWarning[] {
  const where = `${object.kind} "${object.metadata.name}"`;
  const found = [...admission(object), ...binding(object), ...role(object), ...hook(object), ...otherNamespace(object, namespace)];
  return found.map(([code, message]) => ({ code, where, message }));
}

type Found = readonly (readonly [ChartWarning['code'], string])[];

function admission(object: KubeObject): Found {
  const reach = ADMISSION[object.kind];
  if (reach === undefined) return [];
  const closed = listAt(object, 'webhooks').some((webhook) => (textAt(webhook, 'failurePolicy') ?? 'Fail') === 'Fail');
  return [['Webhook', closed ? `${reach}, and does so while its server is away (failurePolicy Fail)` : reach]];
}

function binding(object: KubeObject): Found {
  if (!/^(Cluster)?RoleBinding$/.test(object.kind)) return [];
  const who = listAt(object, 'subjects').map((subject) => `${textAt(subject, 'kind') ?? ''} ${textAt(subject, 'name') ?? ''}`.trim());
  const role = textAt(object, 'roleRef', 'name') ?? '';
  const broad = who.filter((subject) => EVERYBODY.test(subject));
  const found: Found = broad.length === 0 ? [] : [['BroadBinding', `it gives the role ${role} to ${broad.join(', ')}`]];
  if (role !== 'cluster-admin') return found;
  const reach = object.kind === 'ClusterRoleBinding' ? 'in the whole cluster' : 'in its namespace';
  return [...found, ['ClusterAdmin', `it grants every permission ${reach} to ${who.join(', ') || 'nobody'}`]];
}

function role(object: KubeObject): Found {
  if (!/^(Cluster)?Role$/.test(object.kind)) return [];
  const rules = listAt(object, 'rules');
  const wide = rules.some((rule) => ['verbs', 'resources', 'apiGroups'].every((member) => textsAt(rule, member).includes('*')));
  const escalating = ESCALATING.filter((verb) => rules.some((rule) => textsAt(rule, 'verbs').includes(verb)));
  return [
    ...(wide ? [['WildcardPermissions', 'one of its rules has every verb on every resource of every group'] as const] : []),
    ...(escalating.length > 0
      ? [['EscalatingPermissions', `it allows to ${escalating.join(', ')}, which grants more than its own rules`] as const]
      : []),
    ...aggregated(object),
  ];
}

/** What is added to a role that people hold already, and a role that others add to. */
function aggregated(object: KubeObject): Found {
  const labels = Object.entries(object.metadata.labels ?? {});
  const into = labels.flatMap(([label, value]) => (value === 'true' ? (AGGREGATE.exec(label)?.[1] ?? []) : []));
  const from = isObject(at(object, 'aggregationRule'));
  return [
    ...(into.length > 0
      ? [['AggregatedRole', `its rules are added to the ClusterRole ${into.join(', ')}, so every subject of that role gets them`] as const]
      : []),
    ...(from ? [['AggregatedRole', 'it aggregates the rules of every ClusterRole with its labels'] as const] : []),
  ];
}

function hook(object: KubeObject): Found {
  const events = object.metadata.annotations?.[HOOK];
  if (events === undefined || /^\s*(crd-install|test(-success|-failure)?)\s*$/.test(events)) return [];
  return [['Hook', `Helm applies it as a hook (${events}), outside of the release: it is not compared, rolled back or removed with it`]];
}

function otherNamespace({ kind, metadata }: KubeObject, namespace: string): Found {
  const other = metadata.namespace;
  if (other === undefined || other === '' || other === namespace) return [];
  if (kind === 'RoleBinding')
    return [['ForeignBinding', `it gives permissions in the namespace "${other}", which is not that of the release`]];
  return [['OtherNamespace', `it goes into the namespace "${other}", wherever the release is`]];
}
