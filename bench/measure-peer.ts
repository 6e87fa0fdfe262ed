import type { FormSource } from '../src/compose/form-sources.ts';
import { messageOf } from '../src/domain/core/errors.ts';
import { medianMs } from './median.ts';

/** What the form of @rjsf/core for a schema is like, or why there is none. */
export type Peer =
  { readonly ms: number; readonly bytes: number; readonly inputs: number; readonly fault?: undefined } | { readonly fault: string };

// Its development build is several times slower, and would not be a fair measure.
process.env['NODE_ENV'] = 'production';
const { renderPeerForm } = await import('./peer-form.mjs');

const RUNS = 3;

/** Renders it on the server in this process, its own complaints about schemas left out. */
export function measurePeer({ schema }: FormSource): Peer {
  const { warn, error } = console;
  Object.assign(console, { warn: () => undefined, error: () => undefined });
  try {
    const html = renderPeerForm(schema, {});
    const time = medianMs(() => renderPeerForm(schema, {}), RUNS);
    return { ms: time, bytes: Buffer.byteLength(html), inputs: inputsIn(html) };
  } catch (cause) {
    return { fault: `fails: ${messageOf(cause).slice(0, 40)}` };
  } finally {
    Object.assign(console, { warn, error });
  }
}

/** Controls that hold a value; the radio buttons of one name count once. */
function inputsIn(html: string): number {
  const radios = new Set([...html.matchAll(/<input[^>]*type="radio"[^>]*name="([^"]*)"/g)].map(([, name]) => name));
  return (html.match(/<(input|select|textarea)\b(?![^>]*type="radio")/g) ?? []).length + radios.size;
}
