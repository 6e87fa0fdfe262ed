import { MOST_CHOICES, filterChoices, type Choices } from '../../domain/app/choices.ts';
import type { NameReference, ReferenceTarget } from './reference-targets.ts';
import { targetId } from './mark-references.ts';
import { pickName, pickText } from './apply-picks.ts';
import { rejection, unlisted, withArticle } from './choice-words.ts';
import type { PickListView, PickView, TextView } from '../view/form-view-model.ts';
import { fieldText, type ShowNode, type ViewContext } from '../view/view-context.ts';

interface Kinds {
  readonly kinds: NonNullable<NameReference['kinds']>;
  readonly ref: ShowNode;
}

/** A name whose kind is chosen as well: a list of what there is, by kind, beside the input for the name. */
export function kindsView(context: ViewContext, view: TextView, { kinds, ref }: Kinds): PickView {
  const [first, ...others] = kinds.to.map(targetId);
  const what = kinds.to.map(({ kind }) => withArticle(kind)).join(' or ');
  const { note, groups, refresh } = offerOf(context, kinds.to, { what, typed: fieldText(context, 'value', ref.path) ?? '' });
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

interface KindsOffer {
  readonly note: string;
  readonly groups: PickListView['groups'];
  readonly refresh: boolean;
}

function offerOf(
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
  const isMany = found.some(({ choices: one }) => (one.truncated && one.unavailable === undefined) || one.items.length > MOST_CHOICES);
  const groups = found.flatMap(({ target: { kind }, choices: one }) => groupOf(kind, isMany ? filterChoices(one, typed) : one));
  const reasons = found.flatMap(({ target: { kind }, choices: one }) => reasonOf(kind, one));
  const count = groups.reduce((sum, { options }) => sum + options.length, 0);
  const how = isMany
    ? `There are more than ${MOST_CHOICES}. Type a part of the name and update the choices.`
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
