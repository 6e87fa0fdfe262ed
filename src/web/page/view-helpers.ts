import Handlebars from 'handlebars';
import { age, ageInSeconds, dateText } from './time-words.ts';
import { htmlOf } from './safe-html.ts';

export interface ViewHelperOptions {
  /** The address of a file of views/static, e.g. `icons.svg`. */
  readonly asset: (file: string) => string;
  /** Milliseconds since the epoch, for ages. */
  readonly now: () => number;
}

/**
 * The helpers that templates can call. Few and pure: escaping and formatting only, decisions belong to the view models.
 *
 * - `{{asset "icons.svg"}}` the address of a static file
 * - `{{age "2026-01-01T00:00:00Z"}}` a `<time>` element that reads `3 d`; `{{date …}}` one that reads `1 Jan 2026, 00:00 UTC`
 * - `{{clock "2026-01-01T12:34:56Z"}}` a `<time>` element that reads `12:34:56`
 * - `{{#if (eq a b)}}` whether two values are the same
 * - `{{html readme}}` HTML that the sanitiser vouches for
 * - `{{icon "search"}}` a decorative icon of the sprite
 * - `{{plural 2 "instance"}}` `2 instances`; `{{plural 2 "NetworkPolicy"}}` `2 NetworkPolicies`; `{{plural 2 "is" "are"}}`
 * - `{{url name}}` a path segment or query value, percent-encoded
 * - `{{ticks hint}}` a text in which what stands between backticks is code
 * - `{{concat "a" b "c"}}` its arguments in one text
 */
export function viewHelpers({ asset, now }: ViewHelperOptions): Record<string, Handlebars.HelperDelegate> {
  return {
    asset: (file: string) => asset(file),
    age: (when: string) => timeElement(when, age(when, now()), ageInSeconds(when, now())),
    date: (when: string) => timeElement(when, dateText(when), NaN),
    clock: (when: string) => timeElement(when, when.slice(11, 19), NaN),
    eq: (a: unknown, b: unknown) => a === b,
    html: (value: unknown) => new Handlebars.SafeString(htmlOf(value)),
    icon: (name: string) => iconElement(asset('icons.svg'), name),
    plural: (count: number, one: string, many: unknown) => plural(count, one, typeof many === 'string' ? many : manyOf(one)),
    url: (value: unknown) => encodeURIComponent(String(value)),
    ticks: (text: string) => new Handlebars.SafeString(withCode(text)),
    concat: (...parts: unknown[]) => parts.slice(0, -1).join(''),
  };
}

/** @param seconds an age that the page lets grow; not a number for what stays. */
function timeElement(when: string, text: string, seconds: number): Handlebars.SafeString {
  const escape = Handlebars.escapeExpression;
  const growing = Number.isNaN(seconds) ? '' : ` data-age="${seconds}"`;
  return new Handlebars.SafeString(`<time datetime="${escape(when)}" title="${escape(dateText(when))}"${growing}>${escape(text)}</time>`);
}

function iconElement(sprite: string, name: string): Handlebars.SafeString {
  const escape = Handlebars.escapeExpression;
  return new Handlebars.SafeString(
    `<svg class="icon" aria-hidden="true" focusable="false"><use href="${escape(sprite)}#${escape(name)}"></use></svg>`,
  );
}

/** Descriptions of schemas are Markdown now and then; of that only code is shown as such. */
function withCode(text: string): string {
  return Handlebars.escapeExpression(text).replaceAll(/&#x60;([^\n]{1,200}?)&#x60;/g, '<code>$1</code>');
}

/** The usual plural of a word or kind. */
function manyOf(one: string): string {
  if (/[^aeiou]y$/.test(one)) return `${one.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(one) ? `${one}es` : `${one}s`;
}

/** `1 instance`, `2 instances`. */
export function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
