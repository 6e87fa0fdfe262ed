import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createChartLibrary } from '../chart/chart-library.ts';
import type { ChartContents } from '../chart/archive/contents.ts';
import { parseYamlDocument } from '../domain/core/bounded-yaml.ts';
import { schemaOf, versionsOf } from '../domain/catalog/app-catalog.ts';
import { suggestedFields } from '../domain/catalog/suggested-fields.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { parseManifest } from '../domain/kubernetes/manifest.ts';
import { isObject, objectAt, textAt } from '../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../domain/kubernetes/resource.ts';
import { formRoot } from '../form/model/app-form.ts';
import { contentSchema } from '../form/model/content-schema.ts';
import { chartHints, type ChartHints } from '../schema/hints/chart-hints.ts';
import { inferSchema } from '../schema/infer-schema.ts';
import { completedSchema } from '../schema/inferred-members.ts';

/** A schema that a form can be made of. */
export interface FormSource {
  readonly title: string;
  readonly schema: JsonObject;
  readonly root: string;
  readonly hoisted?: string;
  readonly defaults?: JsonObject;
  /** values.yaml of a chart. */
  readonly values?: JsonObject;
  /** What stands first in the form of a kind without a pick of the catalogue. */
  readonly suggested?: readonly string[];
  /** What types the values of a chart that its schema leaves open. */
  readonly hints?: ChartHints;
}

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/**
 * The schemas in a file: those of the kinds in a YAML stream of CustomResourceDefinitions (the version that new objects are stored in), a values
 * schema, or those of a chart, packed or as a folder.
 *
 * @throws AppError `InvalidInput` for a file that is none of these, `ChartInvalid` and its like for a broken chart.
 */
export async function readFormSources(file: string, signal: AbortSignal): Promise<FormSource[]> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw bad(file, 'there is no such file');
  if (found.isDirectory() || /\.(tgz|tar\.gz)$/.test(file)) return chartSources(await readLocalChart(resolve(file), signal));
  if (found.size > MAX_FILE_BYTES) throw bad(file, `it is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
  return sourcesInText(file, await readFile(file, 'utf8'), await readValuesBeside(file));
}

/** The values.yaml of a schema that lies beside it: `values.yaml` of `values.schema.json`, `NAME.values.yaml` of `NAME.schema.json`. */
async function readValuesBeside(file: string): Promise<string> {
  const name = basename(file).replace(/(^values)?\.?schema\.(json|ya?ml)$/, (_, own: string | undefined) =>
    own === undefined ? '.values.yaml' : 'values.yaml',
  );
  if (name === basename(file)) return '';
  const found = await stat(join(dirname(file), name)).catch(() => undefined);
  return found === undefined || found.size > MAX_FILE_BYTES ? '' : await readFile(join(dirname(file), name), 'utf8');
}

/**
 * The same for a text that is no chart.
 *
 * @param file what messages call it.
 * @param valuesText the values.yaml that a values schema is for; empty when there is none.
 */
export function sourcesInText(file: string, text: string, valuesText = ''): FormSource[] {
  return /^kind:\s*["']?(CustomResourceDefinition|List)\b/m.test(text) || /"kind":\s*"CustomResourceDefinition"/.test(text)
    ? crdSources(file, text)
    : [valuesSource(file, text, valuesText)];
}

async function readLocalChart(path: string, signal: AbortSignal): Promise<ChartContents> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'chandlery-form-'));
  try {
    const library = await createChartLibrary({ cacheDir, roots: { local: dirname(path) }, mirrors: [], allowEgress: [] });
    const { contents } = await library.fetch({ kind: 'url', url: `file://local/${encodeURIComponent(basename(path))}` }, signal);
    return contents;
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}

function chartSources({ metadata, schema, values, valuesText, crds, hints }: ChartContents): FormSource[] {
  const title = `values of ${metadata.name} ${metadata.version}`;
  const form =
    schema === undefined
      ? { title: `${title}, read from values.yaml`, schema: inferSchema(valuesText), root: 'values', values, hints }
      : { title, schema: completedSchema(schema, valuesText), root: 'values', defaults: values, values, hints };
  return [form, ...crds.filter(({ kind }) => kind === 'CustomResourceDefinition').map(crdSource)];
}

function crdSources(file: string, text: string): FormSource[] {
  const crds = attributed(file, () => parseManifest(text)).filter(({ kind }) => kind === 'CustomResourceDefinition');
  if (crds.length === 0) throw bad(file, 'there is no CustomResourceDefinition in it');
  return crds.map(crdSource);
}

function crdSource(crd: KubeObject): FormSource {
  const versions = versionsOf(crd);
  const version = (versions.find(({ storage }) => storage) ?? versions[0])?.name ?? textAt(crd.spec, 'version') ?? '';
  const own = schemaOf(crd, version);
  // The first API of CRDs had one schema for all versions.
  const whole = Object.keys(own).length > 0 ? own : objectAt(crd.spec, 'validation', 'openAPIV3Schema');
  const title = `${textAt(crd.spec, 'names', 'kind') ?? ''} ${textAt(crd.spec, 'group') ?? ''}/${version}`;
  const suggested = suggestedFields(crd, version, '');
  return { title, schema: contentSchema(whole as JsonObject), ...formRoot(whole as JsonObject), suggested };
}

function valuesSource(file: string, text: string, valuesText: string): FormSource {
  const schema = attributed(file, () => parseYamlDocument(text));
  const keywords = ['properties', '$ref', 'allOf', 'anyOf', 'oneOf', 'type', 'additionalProperties', 'patternProperties', '$schema'];
  if (!isObject(schema) || !keywords.some((keyword) => schema[keyword] !== undefined))
    throw bad(file, 'it is neither a CustomResourceDefinition nor a JSON Schema; give one of these or a chart');
  const values = attributed(file, () => parseYamlDocument(valuesText));
  const defaults = isObject(values) ? values : {};
  const hints = chartHints({ valuesText, values: defaults });
  return {
    title: `values of ${basename(file)}`,
    schema: completedSchema(schema, valuesText),
    root: 'values',
    defaults,
    values: defaults,
    hints,
  };
}

function attributed<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw bad(file, messageOf(error), error);
  }
}

function bad(file: string, why: string, cause?: unknown): AppError {
  return new AppError('InvalidInput', `form: ${file}: ${why}`, cause === undefined ? {} : { cause });
}
