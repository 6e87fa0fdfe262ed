import { AppError } from '../core/errors.ts';
import { listAt, objectAt, textAt, textsAt } from '../core/read.ts';

/** Whether labels have what a selector asks for. */
export type LabelSelector = (labels: Readonly<Record<string, string>>) => boolean;

/** The name of a label, as a regular expression of Go and JavaScript. */
export const LABEL_KEY = String.raw`(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?`;
/** The value of a label, which may be empty. */
export const LABEL_VALUE = '(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?';
const LABEL = new RegExp(`^(?=.{0,63}$)${LABEL_VALUE}$`);
const EQUALITY = new RegExp(`^(${LABEL_KEY})\\s*(==|=|!=)\\s*(${LABEL_VALUE})$`);
const MEMBERSHIP = new RegExp(`^(${LABEL_KEY})\\s+(in|notin)\\s+\\(\\s*(${LABEL_VALUE}(?:\\s*,\\s*${LABEL_VALUE})*)\\s*\\)$`);
const PRESENCE = new RegExp(`^(!?)\\s*(${LABEL_KEY})$`);
const MAX_LENGTH = 1_000;

/** Whether a label can have the value. */
export function isLabelValue(text: string): boolean {
  return LABEL.test(text);
}

/**
 * A label selector as `kubectl -l` takes it: `app=shop,tier!=db,env in (a, b),!legacy`.
 *
 * @throws AppError `InvalidInput` for anything else.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const parts = text.slice(0, MAX_LENGTH + 1).split(/,(?![^(]*\))/);
  const requirements = text.length > MAX_LENGTH ? undefined : parts.map((part) => requirementOf(part.trim()));
  if (requirements?.every((one) => one !== undefined) !== true) {
    const message = 'write a label selector as kubectl takes it, for example app=shop,tier!=db or env in (test, prod)';
    throw new AppError('InvalidInput', `labelSelector: ${JSON.stringify(text.slice(0, 100))}: ${message}`, {
      faults: [{ field: 'labelSelector', message }],
    });
  }
  return (labels) => requirements.every((holds) => holds(labels));
}

function requirementOf(part: string): LabelSelector | undefined {
  const [, key = '', operator = '', value = ''] = EQUALITY.exec(part) ?? MEMBERSHIP.exec(part) ?? [];
  if (key !== '') return comparison(key, operator, new Set(value.split(',').map((one) => one.trim())));
  const [, not = '', name = ''] = PRESENCE.exec(part) ?? [];
  return name === '' ? undefined : (labels) => Object.hasOwn(labels, name) === (not === '');
}

/** As in Kubernetes, `!=` and `notin` also hold without the label. */
function comparison(key: string, operator: string, values: ReadonlySet<string>): LabelSelector {
  const isNegative = operator === '!=' || operator === 'notin';
  return (labels) => (Object.hasOwn(labels, key) && values.has(labels[key] ?? '')) !== isNegative;
}

/** Whether labels meet a LabelSelectorRequirement, one of `matchExpressions`; undefined when it has none of the four operators of label selectors. */
export function meetsRequirement(requirement: unknown, labels: Readonly<Record<string, unknown>>): boolean | undefined {
  const value = textAt(labels, textAt(requirement, 'key') ?? '');
  const values = textsAt(requirement, 'values');
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case undefined:
    default:
      return undefined;
  }
}

/** A LabelSelector as `kubectl get --selector` takes it; empty for one that selects everything. */
export function selectorText(selector: unknown): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels')).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = listAt(selector, 'matchExpressions').map((one) => {
    const [key, operator, values] = [textAt(one, 'key') ?? '', textAt(one, 'operator'), textsAt(one, 'values')];
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return [...labels.sort(), ...expressions].join(',');
}
