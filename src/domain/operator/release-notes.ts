import { constants, gunzipSync } from 'node:zlib';
import { textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** Bytes of a packed release record that are looked at: Helm writes the notes before the chart, which is most of it. */
const PACKED_BYTES = 64 * 1024;
const UNPACKED_BYTES = 4 * 1024 * 1024;
/** Characters of the notes. */
const MAX_LENGTH = 20_000;

/** What terminals and browsers obey instead of showing: control characters but for tabs and line feeds, and those that turn the direction of text. */
const UNPRINTABLE = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/** The name of the Secret in which Helm keeps a revision of a release. */
export function recordName(release: string, revision: number): string {
  return `sh.helm.release.v1.${release}.v${revision}`;
}

/**
 * The text that a chart has rendered for whoever installs it (NOTES.txt), from Helm's release record; empty when there is none. Of the record, which holds values and
 * manifests too, only the beginning is unpacked.
 */
export function notesOf(record: KubeObject): string {
  const outer = Buffer.from(textAt(record, 'data', 'release') ?? '', 'base64').toString('latin1');
  const packed = Buffer.from(outer.slice(0, Math.ceil((PACKED_BYTES * 4) / 3)), 'base64');
  const start = unpacked(packed);
  const info = start.search(/"info":\{/);
  const chart = start.indexOf('"chart":{', info);
  const found = info < 0 ? undefined : /"notes":("(?:[^"\\]|\\.)*")/.exec(start.slice(info, chart < 0 ? undefined : chart));
  return found?.[1] === undefined ? '' : (JSON.parse(found[1]) as string).slice(0, MAX_LENGTH).replace(UNPRINTABLE, '').trim();
}

function unpacked(packed: Buffer): string {
  try {
    return gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: UNPACKED_BYTES }).toString('utf8');
  } catch {
    return '';
  }
}
