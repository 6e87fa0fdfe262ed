import { at, booleanAt, isObject, listAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { ChartWarning } from './inspection.ts';
import { reachWarnings } from './reach-warnings.ts';

/** What rendered objects give rise to: permissions that are too wide, reach beyond the release, images that move, pods that reach for the node. */
export function objectWarnings(objects: readonly KubeObject[], namespace: string): ChartWarning[] {
  return [...reachWarnings(objects, namespace), ...objects.flatMap(podWarnings)];
}

function podWarnings(object: KubeObject): ChartWarning[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  const where = nameOf(object);
  const containers = [...listAt(pod, 'initContainers'), ...listAt(pod, 'containers')];
  return [...containers.flatMap((container) => containerWarnings(where, container)), ...hostWarnings(where, pod)];
}

function containerWarnings(where: string, container: unknown): ChartWarning[] {
  const name = textAt(container, 'name') ?? '';
  const image = textAt(container, 'image') ?? '';
  const warnings: ChartWarning[] = [];
  const floating = floatingTag(image);
  if (floating !== undefined) {
    warnings.push({
      code: 'FloatingImage',
      where,
      message: `the container "${name}" runs ${image || 'no image'}, ${floating}; name a version or a digest`,
    });
  }
  if (booleanAt(container, 'securityContext', 'privileged') === true) {
    warnings.push({ code: 'PrivilegedPod', where, message: `the container "${name}" is privileged: it can do anything to its node` });
  }
  if (!isObject(at(container, 'resources', 'requests'))) {
    warnings.push({
      code: 'NoRequests',
      where,
      message: `the container "${name}" requests neither CPU nor memory, so a quota may reject it`,
    });
  }
  return warnings;
}

/** Why the image may be another one tomorrow; undefined when it stays. */
function floatingTag(image: string): string | undefined {
  if (image.includes('@sha256:')) return undefined;
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  if (tag === undefined) return 'which has no tag';
  return tag === 'latest' ? 'whose tag moves' : undefined;
}

function hostWarnings(where: string, pod: unknown): ChartWarning[] {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((member) => booleanAt(pod, member) === true);
  const paths = listAt(pod, 'volumes').flatMap((volume) => textAt(volume, 'hostPath', 'path') ?? []);
  const found = [...shared, ...paths.map((path) => `the path ${path}`)];
  return found.length === 0 ? [] : [{ code: 'HostAccess', where, message: `its pods share with their node: ${found.join(', ')}` }];
}

function podSpecOf({ kind, spec }: KubeObject): unknown {
  if (kind === 'Pod') return spec;
  if (kind === 'CronJob') return at(spec, 'jobTemplate', 'spec', 'template', 'spec');
  return ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job'].includes(kind) ? at(spec, 'template', 'spec') : undefined;
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} "${metadata.name}"`;
}

export interface ChartText {
  readonly hasSchema: boolean;
  readonly readme: string;
  readonly description: string;
  /** The text of the files in `templates/`, by name. */
  readonly templates: ReadonlyMap<string, string>;
}

const RANDOM =
  /\b(randAlphaNum|randAlpha|randAscii|randNumeric|randBytes|genCA|genSelfSignedCert|genSignedCert|genPrivateKey|uuidv4|htpasswd|now)\b/;
const LOOKUP = /\blookup\s+("|\$|\(|\.)/;
const ACTION = /\{\{-?(?!-?\s*\/\*)[\s\S]*?\}\}/g;

/** What the files of a chart give rise to, before anything is rendered. */
export function fileWarnings({ hasSchema, readme, description, templates }: ChartText): ChartWarning[] {
  const warnings: ChartWarning[] = [];
  if (!hasSchema) {
    const message = 'there is no values.schema.json, so values are not validated before rendering, and forms are inferred from values.yaml';
    warnings.push({ code: 'NoSchema', where: 'chart', message });
  }
  if (readme.trim() === '') warnings.push({ code: 'NoReadme', where: 'chart', message: 'there is no README.md for the page of the app' });
  if (description === '')
    warnings.push({ code: 'NoDescription', where: 'Chart.yaml', message: 'there is no description for the card of the app' });
  for (const [where, text] of templates) warnings.push(...templateWarnings(where, text));
  return warnings;
}

function templateWarnings(where: string, text: string): ChartWarning[] {
  const actions = (text.match(ACTION) ?? []).join('\n');
  const random = RANDOM.exec(actions)?.[1];
  const warnings: ChartWarning[] = [];
  if (random !== undefined) {
    const message = `it calls ${random}, so each rendering may differ; make sure that an upgrade keeps the generated values`;
    warnings.push({ code: 'RandomValues', where, message });
  }
  if (LOOKUP.test(actions)) {
    warnings.push({
      code: 'ClusterLookup',
      where,
      message: 'it calls lookup, so the rendering here may differ from the installed objects',
    });
  }
  return warnings;
}
