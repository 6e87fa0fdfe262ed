import { schemaOf, type CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { contentOf } from '../../domain/instance/instance-content.ts';
import { isObject, objectAt } from '../../domain/core/read.ts';
import { redact } from '../../domain/core/secret.ts';
import type { Health } from '../../domain/health/health.ts';
import type { Workload } from '../../domain/workload/workload.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { maskObject, maskValue, sensitiveIn, textsOf, unmaskValue } from '../../schema/sensitive/mask.ts';
import { BY_NAMES, type Marked } from '../../schema/sensitive/sensitive-values.ts';

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
