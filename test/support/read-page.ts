import assert from 'node:assert/strict';
import { tagsOf } from '../unit/form/submit.ts';

/** The texts of a page one after another, white space as a browser shows it. */
export function textOf(html: string): string {
  return tagsOf(html)
    .map(({ text }) => text)
    .join(' ')
    .replaceAll(/\s+/g, ' ');
}

/** Where the link leads that begins with a text. Fails when there is none, and when it leads to a part of the page that is not there. */
export function linkTo(html: string, text: string): string {
  const tags = tagsOf(html);
  const link = tags.find((one) => one.tag === 'a' && one.text.trim().startsWith(text));
  assert.ok(link !== undefined, `no link "${text}" in ${textOf(html).slice(0, 2_000)}`);
  const href = link.attributes.get('href') ?? '';
  if (href.startsWith('#'))
    assert.ok(
      tags.some(({ attributes }) => attributes.get('id') === href.slice(1)),
      `nothing has the id ${href}`,
    );
  return href;
}
