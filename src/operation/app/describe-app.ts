import type { ConnectionEntry } from '../../domain/operator/kind/connection-fields.ts';
import type { Preset } from '../../domain/operator/kind/catalog-fields.ts';
import type { App, AppSummary } from '../../domain/app/app.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import {
  type AnnotationFault,
  type CrdAnnotations,
  crdAnnotationsOf,
  type DeclaredRelation,
  type UsageSource,
} from '../../domain/kubeplus/crd-annotations.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { CONFIG_MAP } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { TreeNode } from '../../domain/tree/tree.ts';
import { findEnvironment, listEnvironments } from '../environment/find-environment.ts';
import { listKind } from '../instance/list-kind.ts';
import { showTree, type TreePorts } from '../instance/show-tree.ts';
import type { Ports } from '../ports.ts';
import { explainApp, type FieldFact } from './explain-app.ts';
import { appOfKind, type KindQuery } from './find-app.ts';
import { showApp } from './show-app.ts';

/** What the CRD of an App says about its use: a text, or why there is none. */
export interface KindUsage {
  readonly text: string;
  /** The ConfigMap that has the text: `namespace/name`, and the key; absent: the annotation itself. */
  readonly configMap?: { readonly name: string; readonly key: string };
  /** Why the text is not there. */
  readonly reason?: string;
}

/** A value of an instance that people and other instances can take: a key of its connection. */
export interface ManualOutput {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly source: 'Value' | 'Field' | 'Secret' | 'Service';
  /** With the placeholders of the catalogue: `{name}-app, key password`. */
  readonly from: string;
}

/** The manual page of an App. */
export interface Manual extends Pick<
  App,
  'kind' | 'group' | 'version' | 'displayName' | 'summary' | 'category' | 'provider' | 'availability' | 'usage' | 'readme'
> {
  readonly app: string;
  readonly chartVersion?: string;
  readonly appVersion?: string;
  readonly docsURL?: string;
  /** Of the annotation `resource/usage`. */
  readonly kindUsage?: KindUsage;
  /** The fields of its spec. */
  readonly fields: readonly FieldFact[];
  readonly outputs: readonly ManualOutput[];
  readonly presets: readonly Pick<Preset, 'name' | 'title'>[];
  readonly example?: KubeObject;
  readonly composition: readonly string[];
  readonly relations: readonly DeclaredRelation[];
  /** Annotations of its CRD that cannot be used. */
  readonly faults: readonly AnnotationFault[];
}

/** What an App is and how it is used. A ConfigMap with a usage text is read as the actor. Throws as `appOfKind`. */
export async function showManual(
  ports: Pick<Ports, 'catalog' | 'chart' | 'chartValues' | 'clusters'>,
  actor: Actor,
  query: KindQuery,
): Promise<Manual> {
  const { summary, crd, kindBlock } = appOfKind(ports, actor, query);
  const annotations = crdAnnotationsOf(crd);
  const [app, fields, kindUsage] = await Promise.all([
    showApp(ports, actor, summary.id),
    specFields(ports, actor, summary),
    usageOf(ports, actor, annotations.usage),
  ]);
  return {
    ...manualOf(app, annotations),
    fields,
    outputs: kindBlock.connection.map(outputOf),
    ...(kindUsage === undefined ? {} : { kindUsage }),
  };
}

/** Those of the spec, and of the values of a chart below it; those of the resource itself for a kind without spec. */
async function specFields(
  ports: Pick<Ports, 'catalog' | 'chart' | 'chartValues' | 'clusters'>,
  actor: Actor,
  { id: kind, definition }: AppSummary,
): Promise<readonly FieldFact[]> {
  const below = async (field: string): Promise<readonly FieldFact[]> =>
    (await explainApp(ports, actor, { kind, group: '', environment: '', field })).fields;
  const fields = await below('');
  if (fields.every(({ field }) => field !== 'spec')) return fields;
  const [own, values] = await Promise.all([below('spec'), definition === undefined ? [] : below('spec.values')]);
  return [...own, ...values];
}

function manualOf(app: App, { composition, relations, faults }: CrdAnnotations): Omit<Manual, 'fields' | 'outputs' | 'kindUsage'> {
  const { id, kind, group, version, displayName, summary, category, provider, availability, usage, readme, example } = app;
  const { chartVersion, appVersion, docsURL } = app;
  return {
    app: id,
    kind,
    group,
    version,
    displayName,
    summary,
    category,
    provider,
    availability,
    ...(chartVersion === undefined ? {} : { chartVersion }),
    ...(appVersion === undefined ? {} : { appVersion }),
    ...(docsURL === undefined ? {} : { docsURL }),
    usage,
    readme,
    presets: app.presets.map(({ name, title }) => ({ name, title })),
    ...(example === undefined ? {} : { example }),
    composition,
    relations,
    faults,
  };
}

function outputOf({ name, label = name, description, value, fieldPath, secretKeyRef, serviceRef }: ConnectionEntry): ManualOutput {
  const head = { name, label, description };
  if (secretKeyRef !== undefined) return { ...head, source: 'Secret', from: `${secretKeyRef.name}, key ${secretKeyRef.key}` };
  if (serviceRef !== undefined) {
    const port = serviceRef.port?.name ?? serviceRef.port?.number;
    return { ...head, source: 'Service', from: port === undefined ? serviceRef.name : `${serviceRef.name}, port ${port}` };
  }
  return fieldPath === undefined ? { ...head, source: 'Value', from: value ?? '' } : { ...head, source: 'Field', from: fieldPath };
}

const MAX_USAGE_LENGTH = 100_000;

async function usageOf({ clusters }: Pick<Ports, 'clusters'>, actor: Actor, source?: UsageSource): Promise<KindUsage | undefined> {
  if (source === undefined) return undefined;
  if (source.kind === 'Inline') return { text: source.text };
  const { namespace, name, key } = source;
  const found = { text: '', configMap: { name: `${namespace}/${name}`, key } };
  try {
    const { data } = (await clusters.asActor(actor).get({ ...CONFIG_MAP, namespace, name })) as { readonly data?: unknown };
    const text = textAt(data, key);
    return text === undefined
      ? { ...found, reason: `the ConfigMap has no key ${JSON.stringify(key)}` }
      : { ...found, text: text.slice(0, MAX_USAGE_LENGTH) };
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return { ...found, reason: 'you may not read the ConfigMap' };
    if (isAppError(error, 'NotFound')) return { ...found, reason: 'there is no such ConfigMap' };
    throw error;
  }
}

/** A kind that instances are composed of. */
export interface ComposedKind {
  readonly kind: string;
  /** Of the objects that were found; absent when there are none. */
  readonly apiVersion?: string;
  /** Whether the CRD of the App declares it. */
  readonly declared: boolean;
  /** Objects in the instances that were read. */
  readonly count: number;
}

/** An instance and what it is composed of. */
export interface ComposedInstance {
  readonly environment: string;
  readonly name: string;
  readonly status: string;
  readonly root: ComposedNode;
}

export interface ComposedNode {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly status?: string;
  readonly children: readonly ComposedNode[];
}

/** What the instances of an App are composed of: what its CRD declares, and what the actor finds. */
export interface Composition {
  readonly app: string;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ComposedKind[];
  readonly instances: readonly ComposedInstance[];
  /** Whether there may be further instances that were not read. */
  readonly more: boolean;
  /** Kinds that the actor may not list, so that some of the composition can be missing. */
  readonly unreadable: readonly string[];
  readonly faults: readonly AnnotationFault[];
}

export interface CompositionInput extends KindQuery {
  /** Empty: every environment that the actor sees. */
  readonly environment: string;
  /** Empty: every instance. */
  readonly instance: string;
}

/** Trees cost many calls. */
const MAX_INSTANCES = 10;

/** What an App's instances consist of, read as the actor; at most ten instances. Throws as `appOfKind`, and for a named instance as `findInstance`. */
export async function showComposition(ports: TreePorts, actor: Actor, input: CompositionInput): Promise<Composition> {
  const { summary, crd } = appOfKind(ports, actor, input);
  const { id: app, kind, group, version } = summary;
  const { composition, faults } = crdAnnotationsOf(crd);
  const addresses = await addressesOf(ports, actor, { ...input, group, version, plural: summary.plural });
  const instances: ComposedInstance[] = [];
  const unreadable = new Set<string>();
  for (const address of addresses.slice(0, MAX_INSTANCES)) {
    const tree = await showTree(ports, actor, { ...address, app }).catch((error: unknown) => {
      // Of all instances, one that has gone or may not be read does not hide the others.
      if (input.instance !== '' || !isAppError(error, 'NotFound', 'Forbidden')) throw error;
      if (error.code === 'Forbidden') unreadable.add(kind);
      return undefined;
    });
    if (tree === undefined) continue;
    tree.unreadable.forEach((one) => unreadable.add(one));
    instances.push({ environment: address.environment, name: address.name, status: tree.health.status, root: composedNode(tree.root) });
  }
  return {
    app,
    kind,
    group,
    version,
    resources: composedKinds(instances, composition),
    instances,
    more: addresses.length > MAX_INSTANCES,
    unreadable: [...unreadable].sort(),
    faults,
  };
}

interface Wanted extends Pick<CompositionInput, 'environment' | 'instance'> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

interface Address {
  readonly environment: string;
  readonly name: string;
}

/** One more than are read, so that it is known whether there are more. */
async function addressesOf(ports: TreePorts, actor: Actor, wanted: Wanted): Promise<readonly Address[]> {
  const { environment, instance, group, version, plural } = wanted;
  if (environment !== '' && instance !== '') return [{ environment, name: instance }];
  const cluster = ports.clusters.asActor(actor);
  const environments =
    environment === '' ? await listEnvironments(ports, actor) : [await findEnvironment(ports.clusters, actor, environment)];
  const found: Address[] = [];
  for (const { name, namespace } of environments) {
    const list = await listKind(
      async (options) => (await cluster.listMetadata({ group, version, resource: plural }, { namespace, ...options })).items,
    );
    const names = list.outcome === 'Listed' ? list.items.map(({ metadata }) => metadata.name).sort() : [];
    found.push(...names.filter((one) => instance === '' || one === instance).map((one) => ({ environment: name, name: one })));
    if (found.length > MAX_INSTANCES) break;
  }
  return found;
}

function composedNode({ apiVersion, kind, name, health, children }: TreeNode): ComposedNode {
  return { apiVersion, kind, name, ...(health === undefined ? {} : { status: health.status }), children: children.map(composedNode) };
}

function composedKinds(instances: readonly ComposedInstance[], declared: readonly string[]): readonly ComposedKind[] {
  const nodes = instances.flatMap(({ root }) => root.children.flatMap((child) => [child, ...below(child)]));
  const found = [...Map.groupBy(nodes, ({ apiVersion, kind }) => `${apiVersion} ${kind}`).values()].map((objects): ComposedKind => {
    const [{ apiVersion, kind } = { apiVersion: '', kind: '' }] = objects;
    return { kind, apiVersion, declared: declared.includes(kind), count: objects.length };
  });
  const absent = declared.filter((kind) => found.every((one) => one.kind !== kind));
  return [...found, ...absent.map((kind): ComposedKind => ({ kind, declared: true, count: 0 }))].sort((a, b) =>
    a.kind.localeCompare(b.kind),
  );
}

function below({ children }: ComposedNode): readonly ComposedNode[] {
  return children.flatMap((child) => [child, ...below(child)]);
}
