import { type CatalogEntry, schemaOf } from '../../domain/catalog/app-catalog.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { contentOf } from '../../domain/instance/instance-content.ts';
import { isObject, objectAt } from '../../domain/core/read.ts';
import { redact } from '../../domain/core/secret.ts';
import type { Health } from '../../domain/health/health.ts';
import type { Commands } from '../../domain/instance/instance.ts';
import type { Workload } from '../../domain/workload/workload.ts';
import type { Json, JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { formatPath } from '../../schema/form-path.ts';
import { hasStandIn, maskObject, maskValue, sensitiveIn, standInFor, textsOf, unmaskValue } from '../../schema/sensitive/mask.ts';
import { BY_NAMES, changeSensitive, type Marked, sensitiveValues } from '../../schema/sensitive/sensitive-values.ts';

/** What says which values of an Instance are sensitive. */
export function markedOf({ crd, kindBlock, summary }: CatalogEntry, version: string = summary.version): Marked {
  return { schema: schemaOf(crd, version), sensitivePaths: kindBlock.sensitive };
}

/** The same for its content; see `contentOf`. */
export function contentMarked({ schema, sensitivePaths }: Marked): Marked {
  return { schema: contentSchema(objectAt(schema) as JsonObject), sensitivePaths };
}

/** What the catalogue or an environment gives new Instances, for eyes: writing takes it from there itself. An App that there is not is known by names alone. */
export function maskContent(entry: CatalogEntry | undefined, values: JsonObject): JsonObject {
  const marked = entry === undefined ? BY_NAMES : contentMarked(markedOf(entry));
  return { ...values, ...(maskValue(marked, { value: contentOf(values), root: [] }) as JsonObject) };
}

/** What must not be shown about some objects, such as the live one and the one that is sent. */
export function secretsOf(marked: Marked, ...objects: readonly KubeObject[]): readonly string[] {
  const [only, ...others] = objects;
  // Always the same list for the same object: what `redact` knows of a list is kept.
  if (only !== undefined && others.length === 0) return textsOf(sensitiveIn(marked, only));
  return [...new Set(objects.flatMap((object) => textsOf(sensitiveIn(marked, object))))];
}

/** An object as people and programs are shown it: stand-ins for sensitive values, and none of them repeated in its status and annotations. */
export function shownObject(marked: Marked, object: KubeObject): KubeObject {
  const secrets = secretsOf(marked, object);
  if (secrets.length === 0) return object;
  const { status, metadata, ...masked } = maskObject(marked, object);
  const { annotations } = metadata;
  return {
    ...masked,
    metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations: redactTexts(annotations, secrets) }) },
    ...(status === undefined ? {} : { status: redactTexts(status, secrets) }),
  };
}

/** Every text in a value without secrets. */
export function redactTexts<T>(value: T, secrets: readonly string[]): T {
  return secrets.length === 0 ? value : (redactIn(value, secrets) as T);
}

/** A health without secrets; its word is one of ours, whatever the secrets are. */
export function redactHealth<T extends { readonly status: string }>(health: T, secrets: readonly string[]): T {
  return { ...redactTexts(health, secrets), status: health.status };
}

/** A workload without secrets in what it says of itself; what things are called and how they are stays. */
export function redactWorkload(workload: Workload, secrets: readonly string[]): Workload {
  if (secrets.length === 0) return workload;
  const { health, rollout } = workload;
  const shown = <T extends Pick<Workload, 'images' | 'version'>>(of: T): T => ({
    ...of,
    ...redactTexts({ images: of.images, version: of.version }, secrets),
  });
  const healthIn = (one: Health | undefined) => (one === undefined ? {} : { health: redactHealth(one, secrets) });
  return {
    ...shown(workload),
    ...healthIn(health),
    rollout: { ...rollout, ...redactTexts({ message: rollout.message }, secrets) },
    change: { ...redactTexts(workload.change, secrets), time: workload.change.time },
    revisions: workload.revisions.map((revision) => ({
      ...shown(revision),
      pods: revision.pods.map((pod) => ({ ...pod, ...redactTexts({ status: pod.status }, secrets), ...healthIn(pod.health) })),
    })),
  };
}

function redactIn(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (Array.isArray(value)) return value.map((item: unknown) => redactIn(item, secrets));
  if (!isObject(value) || (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redactIn(member, secrets)]));
}

/** Does something whose error may repeat what was sent, as `Invalid value: "hunter2"` does. */
export async function withoutSecretsInErrors<T>(secrets: readonly string[], act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isAppError(error) || secrets.length === 0) throw error;
    const { code, message, faults, missing, retryAfter } = error;
    throw new AppError(code, redact(message, secrets), {
      faults: redactTexts(faults, secrets),
      ...(missing === undefined ? {} : { missing }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
}

/**
 * The content that was sent, with live ones in the place of their stand-ins.
 *
 * @throws AppError `InvalidInput` for a stand-in that stands for nothing: none is ever written.
 */
export function unmaskContent(marked: Marked, content: JsonObject, live?: KubeObject): JsonObject {
  const { value, faults } = unmaskValue(contentMarked(marked), { value: content, root: [] }, live && contentOf(live));
  const [first] = faults;
  if (first !== undefined) throw new AppError('InvalidInput', `${first.field ?? 'spec'}: ${first.message}`, { faults });
  return value as JsonObject;
}

/** Two contents as commands compare them: of a sensitive value only whether it changes can be shown. */
export function maskedSides(
  own: Marked,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): { readonly before: JsonObject; readonly after: JsonObject } {
  const marked = contentMarked(own);
  const known = new Map(sensitiveValues(marked, { value: before, root: [] }).map(({ path, value }) => [formatPath(path), value]));
  const mask = (value: Json, change: Parameters<typeof changeSensitive>[2]): JsonObject =>
    changeSensitive(marked, { value, root: [] }, change) as JsonObject;
  return {
    before: mask(before, ({ path }) => standInFor(path)),
    after: mask(after, ({ path, value }) => standInFor(path) + (known.get(formatPath(path)) === value ? '' : OTHER)),
  };
}

/** What tells a changed value from the one before; a private-use character, which is in no command in the end. */
const OTHER = '\u{F8FF}';
const IN_DOUBLE_QUOTES = /"(<masked: (?:[^"\\<>]|\\.)*>)\u{F8FF}?"/gu;
const IN_SINGLE_QUOTES = /'(<masked: (?:[^'<>]|'')*>)\u{F8FF}?'/gu;
const ADVICE = '# Sensitive values are not repeated here: put each in place of its <masked: …>, in quotes.';

/**
 * Commands and files whose stand-ins are no text of JSON or YAML any more: what is run without the values fails, and writes no stand-in. Where there is
 * none, nothing changes.
 */
export function withBareStandIns<T extends Commands>(commands: T): T {
  const texts = [commands.kubectl, commands.curl, commands.yaml];
  if (!texts.some(hasStandIn)) return commands;
  const [kubectl = '', curl = '', yaml = ''] = texts.map(bareStandIns);
  return { ...commands, kubectl, curl, yaml };
}

/** One such text. */
export function bareStandIns(text: string): string {
  if (!hasStandIn(text)) return text;
  const bare = text.replaceAll(IN_DOUBLE_QUOTES, '$1').replaceAll(IN_SINGLE_QUOTES, '$1').replaceAll(OTHER, '');
  return `${ADVICE}\n${bare}`;
}
