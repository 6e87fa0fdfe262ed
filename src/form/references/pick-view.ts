import { withArticle } from '../../domain/core/name-words.ts';
import { type Choice, type Choices, filterChoices, MAX_CHOICES } from '../../domain/app/choices.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { formatPath } from '../../schema/form-path.ts';
import type { TextNode } from '../controls/text.ts';
import { fieldName, nodeAt } from '../input/form-fields.ts';
import { canBeMade, typedName } from '../input/new-secrets.ts';
import type { FieldView, FormView, PickListView, PickView, TextView } from '../view/form-view-model.ts';
import { fieldText, type ShowNode, type ViewContext } from '../view/view-context.ts';
import { kindsAt, pickName, pickText } from './apply-picks.ts';
import { targetId } from './mark-references.ts';
import type { NameReference, Reference, ReferenceTarget } from './reference-targets.ts';

interface Kinds {
  readonly kinds: NonNullable<NameReference['kinds']>;
  readonly ref: ShowNode;
}

interface KindsOffer {
  readonly note: string;
  readonly groups: PickListView['groups'];
  readonly refresh: boolean;
}

/** A text that names another object or a key of one: the same input, and beside it what there is to choose from. */
export function pickView(context: ViewContext, view: TextView, { reference, ref }: { reference: Reference; ref: ShowNode }): PickView {
  const resource = targetId(reference.to);
  const isNew = reference.part === 'name' && context.fields.has(fieldName('secret', ref.path));
  const offer: Offer | undefined = isNew
    ? { note: 'A new Secret of this name is created and deleted with the instance.' }
    : offerOf(context, reference, ref);
  const kinds = reference.part === 'name' && !isNew ? kindsAt(context.model, ref.path, context.fields) : undefined;
  if (kinds !== undefined) return kindsView(context, view, { kinds, ref });
  const { note = '', options = [] } = offer ?? {};
  const noteId = `${view.id}-note`;
  return {
    ...view,
    partial: 'parts/field-pick',
    resource,
    ...listOf(context, { resource, options, id: `${view.id}-choices`, own: reference.part === 'key' || offer?.refresh === true }),
    note,
    describedBy: note === '' ? view.describedBy : [view.describedBy, noteId].filter((id) => id !== '').join(' '),
    refresh: offer?.refresh === true,
    ...makingOf(context, ref, view.id),
    others: [],
    pick: false,
  };
}

/** Fields with the same choices share the list of the first of them, so that a page does not grow with each. */
function listOf(
  { listed }: ViewContext,
  {
    resource,
    options,
    id,
    own,
  }: { readonly resource: string; readonly options: readonly string[]; readonly id: string; readonly own: boolean },
): Pick<PickView, 'listId' | 'options'> {
  if (options.length === 0) return { listId: '', options };
  const first = own ? undefined : listed.get(resource);
  if (first !== undefined) return { listId: first, options: [] };
  if (!own) listed.set(resource, id);
  return { listId: id, options };
}

/** Whether a new Secret can be asked for here, or was. */
function makingOf({ model, fields }: ViewContext, { path }: ShowNode, id: string): Pick<PickView, 'makeOp' | 'make'> {
  const node = nodeAt(model.root, path, fields);
  const text = formatPath(path);
  if (model.mode !== 'create' || node === undefined || !canBeMade(node)) return { makeOp: '', make: false };
  const mode = fields.get(fieldName('secret', path));
  if (mode === undefined) return { makeOp: `secret:${text}`, make: false };
  const modes = [
    { id: `${id}-generate`, value: 'generate', label: 'Generate a value', selected: mode !== 'type' },
    { id: `${id}-type`, value: 'type', label: 'Type a value', selected: mode === 'type' },
  ];
  return {
    makeOp: '',
    make: {
      modeName: fieldName('secret', path),
      modes,
      valueName: typedName(path),
      valueId: `${id}-value`,
      existingOp: `existing:${text}`,
    },
  };
}

interface Offer {
  readonly note: string;
  readonly options?: readonly string[];
  /** Whether asking again, with what was typed, brings other choices. */
  readonly refresh?: true;
}

function offerOf(context: ViewContext, reference: Reference, ref: ShowNode): Offer | undefined {
  const { choices } = context;
  if (choices === undefined) return undefined;
  const { kind } = reference.to;
  if (choices.environment === '') return { note: `Choose an environment and update the choices to pick ${withArticle(kind)}.` };
  const found = choices.byResource.get(targetId(reference.to));
  if (found === undefined) return undefined;
  if (!found.served) return { note: `This cluster has no ${kind}; type the name.` };
  if (found.missing !== undefined) return { note: `${rejection(found.missing)} Type the name.` };
  if (found.unavailable !== undefined) return { note: `${unlisted(kind, found.unavailable)} Type the name.` };
  if (reference.part === 'key') return keyOffer(context, found.items, { reference, ref });
  return nameOffer(found, { kind, typed: fieldText(context, 'value', ref.path) ?? '', environment: choices.environment });
}

function nameOffer(choices: Choices, at: { readonly kind: string; readonly typed: string; readonly environment: string }): Offer {
  const { kind, typed, environment } = at;
  if (choices.items.length === 0) return { note: `There is no ${kind} in ${environment} to choose from; enter the name.` };
  const isMany = choices.truncated || choices.items.length > MAX_CHOICES;
  if (!isMany)
    return {
      note: `${choices.items.length} in ${environment} to choose from, or type any name.`,
      options: choices.items.map(({ name }) => name),
    };
  const { items } = filterChoices(choices, typed);
  const options = items.map(({ name }) => name);
  return { note: `There are more than ${MAX_CHOICES}. Type a part of the name and update the choices.`, options, refresh: true };
}

function keyOffer(
  context: ViewContext,
  items: readonly Choice[],
  { reference, ref }: { readonly reference: Reference & { readonly part: 'key' }; readonly ref: ShowNode },
): Offer | undefined {
  const name = fieldText(context, 'value', [...ref.path.slice(0, -1), reference.of]) ?? '';
  const chosen = items.find((item) => item.name === name);
  if (context.fields.has(fieldName('secret', [...ref.path.slice(0, -1), reference.of]))) return { note: 'The key of the new Secret.' };
  if (chosen !== undefined && chosen.keys.length > 0)
    return { note: `Choose a key of ${name} or type one.`, options: chosen.keys, refresh: true };
  return chosen === undefined && items.length > 0
    ? { note: `Choose the ${reference.to.kind} and update the choices.`, refresh: true }
    : undefined;
}

/** The text node's reference, when it is shown as one. */
export function referenceOf(node: { readonly kind: string } | TextNode): Reference | undefined {
  return 'reference' in node && node.kind === 'text' ? node.reference : undefined;
}

/** What the fields on the page refer to, each resource once. */
export function resourcesShown({ main, all, beneath }: Pick<FormView, 'main' | 'all' | 'beneath'>): readonly string[] {
  return [...new Set([...main, ...all, ...beneath].flatMap(resourcesIn))];
}

function resourcesIn(view: FieldView): readonly string[] {
  if ('resource' in view) return [view.resource, ...view.others];
  if ('children' in view) return view.children.flatMap(resourcesIn);
  if ('branchName' in view) return view.content.flatMap(resourcesIn);
  return 'rows' in view && typeof view.rows === 'object' ? view.rows.flatMap((row) => row.content.flatMap(resourcesIn)) : [];
}

/** A name whose kind is chosen as well: a list of what there is, by kind, beside the input for the name. */
function kindsView(context: ViewContext, view: TextView, { kinds, ref }: Kinds): PickView {
  const [first, ...others] = kinds.to.map(targetId);
  const what = kinds.to.map(({ kind }) => withArticle(kind)).join(' or ');
  const { note, groups, refresh } = kindsOffer(context, kinds.to, { what, typed: fieldText(context, 'value', ref.path) ?? '' });
  const noteId = `${view.id}-note`;
  const pick: PickListView | false = groups.length === 0 ? false : { id: `${view.id}-pick`, name: pickName(ref.path), what, groups };
  return {
    ...view,
    partial: 'parts/field-pick',
    resource: first ?? '',
    others,
    listId: '',
    options: [],
    note,
    describedBy: note === '' ? view.describedBy : [view.describedBy, noteId].filter((id) => id !== '').join(' '),
    refresh,
    makeOp: '',
    make: false,
    pick,
  };
}

function kindsOffer(
  { choices }: ViewContext,
  targets: readonly ReferenceTarget[],
  { what, typed }: { readonly what: string; readonly typed: string },
): KindsOffer {
  if (choices === undefined) return { note: '', groups: [], refresh: false };
  if (choices.environment === '')
    return { note: `Choose an environment and update the choices to pick ${what}.`, groups: [], refresh: false };
  const found = targets.flatMap((target) => {
    const one = choices.byResource.get(targetId(target));
    return one === undefined ? [] : [{ target, choices: one }];
  });
  if (found.length === 0) return { note: '', groups: [], refresh: false };
  const isMany = found.some(({ choices: one }) => (one.truncated && one.unavailable === undefined) || one.items.length > MAX_CHOICES);
  const groups = found.flatMap(({ target: { kind }, choices: one }) => groupOf(kind, isMany ? filterChoices(one, typed) : one));
  const reasons = found.flatMap(({ target: { kind }, choices: one }) => reasonOf(kind, one));
  const count = groups.reduce((sum, { options }) => sum + options.length, 0);
  const how = isMany
    ? `There are more than ${MAX_CHOICES}. Type a part of the name and update the choices.`
    : count === 0
      ? `There are no objects in ${choices.environment} to choose from; enter kind and name.`
      : `${count} to choose from; choosing one fills in its kind as well.`;
  return { note: [...reasons, how].join(' '), groups, refresh: isMany };
}

function groupOf(kind: string, { items }: Choices): PickListView['groups'] {
  if (items.length === 0) return [];
  return [{ label: kind, options: items.map(({ name }) => ({ value: pickText(kind, name), label: name })) }];
}

function reasonOf(kind: string, { served, missing, unavailable }: Choices): string[] {
  if (!served) return [`This cluster has no ${kind}.`];
  if (unavailable !== undefined) return [unlisted(kind, unavailable)];
  return missing === undefined ? [] : [rejection(missing)];
}

/** Why choices cannot be listed. */
function rejection({ verb, resource, group, namespace }: MissingPermission): string {
  const what = group === '' ? resource : `${resource}.${group}`;
  return `You may not ${verb} ${what}${namespace === undefined ? ' of the cluster' : ` in ${namespace}`}.`;
}

/** The sentence about a kind that nobody can list now. */
function unlisted(kind: string, why: string): string {
  return `${kind} objects cannot be listed now: ${why}.`;
}
