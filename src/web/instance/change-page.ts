import { stringifyJson } from '../../domain/core/exact-json.ts';
import { packInputs, type HiddenInput } from '../../domain/core/packed-inputs.ts';
import type { FieldFault } from '../../domain/core/errors.ts';
import { ownContentOf } from '../../domain/instance/instance-content.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { isScalar, isSecret, type FormModel } from '../../form/model/form-node.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { nodesAt } from '../../form/input/form-fields.ts';
import type { ShownChoices } from '../../form/view/view-context.ts';
import { type SealInputs, showForm, type ShownForm } from './instance-form.ts';
import { instancePath } from '../page/paths.ts';
import type { ForeignChange } from './three-way.ts';

export interface ChangePage extends ShownForm {
  readonly name: string;
  readonly appName: string;
  readonly action: string;
  readonly backHref: string;
  /** Digests of the values that the form was opened on, as `seen`, and of the live rows that those of the form come from, as `rows`. */
  readonly carried: readonly HiddenInput[];
  /** Paths of fields that the cluster reports as immutable. */
  readonly frozen: readonly string[];
  /** What somebody else changed meanwhile, in sentences. */
  readonly foreign: readonly string[];
  readonly clash: boolean;
}

export interface ChangeDraft {
  readonly fields: URLSearchParams;
  readonly faults: readonly FieldFault[];
  readonly foreign: readonly ForeignChange[];
  /** How many more there are; default 0. */
  readonly more?: number;
  /** The digest that the page carries on; by default that of the live values. */
  readonly seen?: string;
  /** The fields that the cluster reports as immutable; by default those that the form carries. */
  readonly frozen?: readonly string[];
  /** The earlier revision that the fields have the values of. */
  readonly revision?: number;
  /** The other instance that they have the values of. */
  readonly promoted?: string;
  /** What the fields can refer to in the environment. */
  readonly choices?: ShownChoices;
}

export async function changePage(
  instance: InstanceView,
  model: FormModel,
  draft: ChangeDraft & { readonly seal: SealInputs },
): Promise<ChangePage> {
  const live = contentOfInstance(instance);
  const { faults, choices, seal } = draft;
  return {
    ...(await showForm(model, draft.fields, { faults, base: live, seal, ...(choices === undefined ? {} : { choices }) })),
    name: instance.name,
    appName: instance.appName,
    action: `${instancePath(instance)}/edit`,
    backHref: instancePath(instance),
    carried: await carriedOn(live, saltOf(instance), draft.seen),
    frozen: draft.frozen ?? draft.fields.getAll('frozen'),
    foreign: foreignSentences(model, draft.foreign, draft.more ?? 0),
    clash: draft.foreign.some((change) => change.clash),
  };
}

/**
 * Digests of the values that a form was opened on, as `seen`, and of the live rows that those of the form come from, as `rows`.
 *
 * @param seen what the page carried; by default the live values.
 */
export async function carriedOn(live: JsonObject, salt: string, seen?: string): Promise<readonly HiddenInput[]> {
  return packInputs([
    { name: 'seen', value: seen ?? (await runFormJob('seenText', live, salt)) },
    { name: 'rows', value: await runFormJob('formatRows', live, salt) },
  ]);
}

/** What others changed meanwhile, a sentence each. */
export function foreignSentences(model: FormModel, foreign: readonly ForeignChange[], more: number): readonly string[] {
  return [...foreign.map((change) => sentenceOn(change, model)), ...moreSentence(more)];
}

/** The values that a form of the instance is about. */
export function contentOfInstance({ object }: InstanceView): JsonObject {
  return ownContentOf(object);
}

export function saltOf({ object }: InstanceView): string {
  return object.metadata.uid ?? object.metadata.name;
}

function moreSentence(more: number): string[] {
  return more === 0 ? [] : [`${more} more ${more === 1 ? 'field was' : 'fields were'} changed`];
}

function sentenceOn({ path, keys, now, clash }: ForeignChange, model: FormModel): string {
  const value = mayHoldSecret(keys, model) ? 'was changed' : now === undefined ? 'was removed' : `is now ${shortJson(now)}`;
  return `${path} ${value}${clash ? '; you have something else here, and sending the form again overwrites it' : ''}`;
}

/** Lists and free-form parts may hold secrets further down, so only plain values are repeated. */
function mayHoldSecret(keys: readonly string[], model: FormModel): boolean {
  const nodes = nodesAt(model.root, keys);
  return nodes.length === 0 || nodes.some((node) => isSecret(node) || !isScalar(node));
}

function shortJson(value: Json): string {
  const text = stringifyJson(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
