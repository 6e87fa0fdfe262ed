import { restoreInputs } from '../../../src/form/input/restore-inputs.ts';
import type { FormView } from '../../../src/form/view/form-view-model.ts';
import { unpackInputs } from '../../../src/domain/core/packed-inputs.ts';
import { createViews } from '../../../src/web/page/view-engine.ts';

/** The templates by which forms are rendered here, compiled once for all files of a process. */
export const views = createViews('views', { asset: (file) => file, now: () => 0 });

/** Sends a rendered form as a browser does: what is disabled, unchecked or not chosen stays at home, line ends travel as CRLF. */
export function submit(html: string): URLSearchParams {
  const sent = new URLSearchParams();
  let frozen = 0;
  let select: { name: string; value: string | undefined; first: string | undefined } | undefined;
  for (const { tag, attributes, text } of tagsOf(html)) {
    const off = frozen > 0 || attributes.has('disabled');
    const name = attributes.get('name') ?? '';
    const value = attributes.get('value') ?? '';
    if (tag === 'fieldset' && (attributes.has('disabled') || frozen > 0)) frozen += 1;
    if (tag === '/fieldset' && frozen > 0) frozen -= 1;
    if (tag === 'select') select = off ? undefined : { name, value: undefined, first: undefined };
    if (tag === 'option' && select !== undefined) {
      select.first ??= value;
      if (attributes.has('selected')) select.value = value;
    }
    if (tag === '/select' && select !== undefined) sent.append(select.name, crlf(select.value ?? select.first ?? ''));
    if (tag === 'textarea' && !off) sent.append(name, crlf(text.replace(/^\n/, '')));
    if (tag !== 'input' || off) continue;
    const type = attributes.get('type');
    const isBox = type === 'checkbox' || type === 'radio';
    if (!isBox || attributes.has('checked')) sent.append(name, isBox || type === 'hidden' ? crlf(value) : value.replaceAll(/[\r\n]/g, ''));
  }
  return unpackInputs(sent);
}

export interface Tag {
  /** `input`, or `/fieldset` where it ends. */
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** What follows up to the next tag. */
  readonly text: string;
}

/** The tags of HTML that our own templates wrote: attributes in double quotes, `<` and `>` always escaped. */
export function tagsOf(html: string): Tag[] {
  return [...html.matchAll(/<(\/?[a-z0-9]+)((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*>([^<]*)/g)].map(
    ([, tag = '', attributes = '', text = '']) => ({
      tag,
      attributes: new Map(
        [...attributes.matchAll(/([^\s=>"]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, decode(value)]),
      ),
      text: decode(text),
    }),
  );
}

function crlf(text: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, '\r\n');
}

function decode(text: string): string {
  return text.replaceAll(
    /&(#x[0-9A-Fa-f]+|[a-z]+);/g,
    (_, name: string) => ENTITIES[name] ?? String.fromCodePoint(Number.parseInt(name.slice(2), 16)),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The same for the HTML of a view, with the secrets that pages carry sealed. */
export function submitView({ secrets }: Pick<FormView, 'secrets'>, html: string): URLSearchParams {
  return restoreInputs(submit(html), secrets);
}
