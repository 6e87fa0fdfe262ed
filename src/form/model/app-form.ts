import type { ChartHints } from '../../schema/hints/chart-hints.ts';
import type { App } from '../../domain/app/app.ts';
import type { ReferableKind } from '../../domain/catalog/app-references.ts';
import { contentOf } from '../../domain/instance/instance-content.ts';
import { at, isObject, listAt, objectAt, textAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { contentSchema, hasSpec } from './content-schema.ts';
import { curatedFromExample } from './node-base.ts';
import type { FormMode, FormModel, FormNode, GroupNode, YamlNode } from './form-node.ts';
import type { ReferenceTarget } from '../references/reference-targets.ts';
import { cacheForm } from './cache-form.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { instanceLayers, type LayeredApp } from '../../domain/values/instance-layers.ts';
import { layEnvironment } from './lay-environment.ts';
import { type FormPath, parsePath } from '../../schema/form-path.ts';

/** The schema of an App's `spec`, from the schema of the whole object. */
export function specSchema(app: Pick<App, 'schema'>): JsonObject {
  return objectAt(app.schema, 'properties', 'spec') as JsonObject;
}

/** What the form of an App is made of. */
type FormParts = Pick<
  App,
  'schema' | 'sensitive' | 'fields' | 'example' | 'defaults' | 'group' | 'plural' | 'kind' | 'relatedApps' | 'references' | 'otherKinds'
> &
  Partial<Pick<App, 'presets' | 'suggestedFields' | 'hints'>>;

/**
 * The form of an App: of its `spec`, of the members beside it, and of labels and annotations. What the catalogue picked comes first; without a pick, what the example sets, or
 * what the kind and its chart suggest. What the catalogue starts
 * instances with is a default for new ones alone. Fields may refer to instances of the
 * App itself, of the other kinds of its Operator, of other Apps whose kinds have names of several words, and of what the catalogue says.
 */
export function appForm(app: FormParts, mode: FormMode): FormModel {
  const curated = app.fields.length > 0 ? app.fields : curatedFromExample(contentOf(app.example));
  const defaults = mode === 'create' ? contentOf(app.defaults) : {};
  const otherKinds = (app.otherKinds ?? []).filter(({ kind }) => /[a-z0-9][A-Z]/.test(kind));
  const kinds = [app, ...app.relatedApps, ...otherKinds].map(targetOf);
  const references = (app.references ?? []).map((reference) => ({ path: reference.path, to: targetOf(reference) }));
  return cacheForm({
    schema: contentSchema(app.schema, mode === 'create' && wantsFinalizers(app) ? 'finalizers' : 'no finalizers'),
    ...formRoot(app.schema),
    ...(app.group === OURS.appsGroup ? { chartValues: CHART_VALUES, hints: app.hints ?? NO_CHART_HINTS } : {}),
    curated,
    suggested: app.suggestedFields ?? [],
    defaults,
    defaultsFrom: 'operator',
    mode,
    kinds,
    references,
    sensitive: app.sensitive ?? [],
  });
}

/** One object, because forms are cached by it. */
const NO_CHART_HINTS: ChartHints = {};

/** In the instances of kinds that AppDefinitions generate. */
const CHART_VALUES = ['spec', 'values'];

/** Where a form of `contentSchema` begins. */
export function formRoot(schema: JsonObject): { readonly root: ''; readonly hoisted?: 'spec' } {
  return hasSpec(schema) ? { root: '', hoisted: 'spec' } : { root: '' };
}

/** Finalizers are for kinds whose catalogue entry speaks of them; elsewhere they only keep objects from being deleted. */
function wantsFinalizers({ fields, example, defaults, presets = [] }: FormParts): boolean {
  const said = [example, defaults, ...presets.map(({ values }) => values)];
  return fields.includes('metadata.finalizers') || said.some((one) => at(one, 'metadata', 'finalizers') !== undefined);
}

function targetOf({ group, plural, kind }: ReferableKind): ReferenceTarget {
  return { group, resource: plural, kind };
}

/** What is needed of an App. */
type PlacedApp = LayeredApp & Parameters<typeof appForm>[0];

/** The form of an App where its instance would be, or is. Only new instances start with values of the environment; its locks hold for all. */
export function placedForm(app: PlacedApp, mode: FormMode, environment?: Pick<EnvironmentView, 'name' | 'overlay'>): FormModel {
  const { lower, locks } = instanceLayers(app, environment);
  return layEnvironment(appForm(app, mode), { lower: mode === 'create' ? lower : { operator: {}, environment: {} }, locks });
}

const MAX_ITEMS = 100;

/**
 * The form with some of its fields as ones that cannot be changed, for what only the cluster knows. Rows of a list or map are alike, so all of them
 * are frozen with one. Texts that are no path, and paths that lead nowhere, do nothing.
 */
export function freezeNodes(model: FormModel, paths: readonly string[]): FormModel {
  const known = paths.slice(0, MAX_ITEMS).flatMap((text) => [parsePath(text) ?? []]);
  const { path: top } = model.root;
  const inside = known.filter((path) => top.every((step, index) => path[index] === step)).map((path) => path.slice(top.length));
  const root = inside.length === 0 ? model.root : freeze(model.root, inside);
  return { ...model, root: root as GroupNode | YamlNode };
}

/** All paths at once, so that no node is frozen twice. */
function freeze(node: FormNode, paths: readonly FormPath[]): FormNode {
  if (paths.some((path) => path.length === 0)) return frozenWhole(node);
  const rest = paths.map((path) => path.slice(1));
  if (node.kind === 'group') {
    const below = Map.groupBy(paths, ([step]) => String(step));
    return { ...node, children: node.children.map((child) => freezeChild(child, below.get(child.key))) };
  }
  if (node.kind === 'list') return { ...node, item: freeze(node.item, rest) };
  if (node.kind === 'map') return { ...node, value: freeze(node.value, rest) };
  if (node.kind !== 'choice') return node;
  return { ...node, branches: node.branches.map((branch) => ({ ...branch, node: freeze(branch.node, paths) as typeof branch.node })) };
}

function freezeChild(child: FormNode, paths: readonly FormPath[] | undefined): FormNode {
  return paths === undefined
    ? child
    : freeze(
        child,
        paths.map((path) => path.slice(1)),
      );
}

function frozenWhole(node: FormNode): FormNode {
  if (node.kind === 'group') return { ...node, immutable: true, children: node.children.map(frozenWhole) };
  if (node.kind === 'list') return { ...node, immutable: true, item: frozenWhole(node.item) };
  if (node.kind === 'map') return { ...node, immutable: true, value: frozenWhole(node.value) };
  if (node.kind !== 'choice') return { ...node, immutable: true };
  return {
    ...node,
    immutable: true,
    branches: node.branches.map((branch) => ({ ...branch, node: frozenWhole(branch.node) as typeof branch.node })),
  };
}

/** The versions of the chart that an instance may have, newest first; empty for the kind of an Operator. */
export function offeredVersions({ status }: Pick<KubeObject, 'status'>): readonly string[] {
  return listAt(status, 'versions').flatMap((offered) => textAt(offered, 'version') ?? []);
}

/**
 * The App with the versions of its chart as a choice: those that are offered, and the one that the instance asks for. It follows the fields that the catalogue picked, unless that
 * picked it, too; so does the end of an instance that has one. Without a choice the App is as it was.
 */
export function withVersionChoice<T extends VersionedApp>(app: T, instance: KubeObject): T {
  const own = textAt(instance.spec, 'version');
  const offered = offeredVersions(instance);
  if (offered.length === 0) return app;
  const followed = at(instance.spec, 'channel') === undefined ? [] : ['spec.channel'];
  const ours = ['spec.version', ...followed, ...(at(instance.status, 'expiry') === undefined ? [] : ['spec.expires'])];
  return withVersions(app, { versions: [...new Set([...offered, ...(own === undefined ? [] : [own])])], fields: ours });
}

/** The App of a new instance with the versions of its chart as a choice, where there is more than one. Without a choice, the instance gets the version that is offered. */
export function withNewVersionChoice<T extends VersionedApp>(app: T, versions: readonly string[]): T {
  return withVersions(app, { versions, fields: versions.length > 1 ? ['spec.version'] : [] });
}

type VersionedApp = Pick<App, 'schema' | 'fields'>;

function withVersions<T extends VersionedApp>(
  app: T,
  { versions, fields }: { readonly versions: readonly string[]; readonly fields: readonly string[] },
): T {
  const [spec, properties] = [objectAt(app.schema, 'properties', 'spec'), objectAt(app.schema, 'properties')];
  const members = objectAt(spec, 'properties');
  const version = objectAt(members, 'version');
  if (versions.length === 0 || !isObject(version)) return app;
  const schema = {
    ...app.schema,
    properties: { ...properties, spec: { ...spec, properties: { ...members, version: { ...version, enum: versions } } } },
  } as JsonObject;
  return { ...app, schema, fields: app.fields.length === 0 ? app.fields : [...new Set([...app.fields, ...fields])] };
}
