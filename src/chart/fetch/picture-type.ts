/** The kinds of pictures that we show. */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/svg+xml';

const SVG_START =
  /^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]{0,2000}?-->\s*)*(<!DOCTYPE svg[^>[]*>\s*)?(<!--[\s\S]{0,2000}?-->\s*)*<svg[\s>]/i;
const STARTS: readonly (readonly [PictureType, (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))],
  ['image/gif', (bytes) => /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString('latin1'))],
  ['image/webp', (bytes) => /^RIFF[\s\S]{4}WEBP$/.test(bytes.subarray(0, 12).toString('latin1'))],
  // Entities of a DOCTYPE of its own could make it grow.
  ['image/svg+xml', (bytes) => SVG_START.test(bytes.subarray(0, 16_384).toString('utf8')) && !bytes.includes('<!ENTITY')],
];

/** What the bytes are, whatever their server calls them; undefined when they are no picture that we show. */
export function pictureType(bytes: Buffer): PictureType | undefined {
  return STARTS.find(([, matches]) => matches(bytes))?.[0];
}
