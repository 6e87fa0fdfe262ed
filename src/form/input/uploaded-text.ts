import { isUtf8 } from 'node:buffer';

/** A file as it came. */
export interface UploadedFile {
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly truncated: boolean;
}

/** The text of a file with line feeds, and in sentences what was changed to get it; or why it is none. */
type UploadedText =
  | { readonly text: string; readonly changed: readonly string[]; readonly fault?: undefined }
  | { readonly text?: undefined; readonly fault: string };

/** Bytes of a YAML file; shown on the page before one is chosen. */
export const LARGEST_UPLOAD = 256 * 1024;

const BYTE_ORDER_MARKS: readonly { readonly starts: readonly number[]; readonly encoding: string; readonly changed: string }[] = [
  { starts: [0xef, 0xbb, 0xbf], encoding: 'utf-8', changed: 'Its byte order mark was removed.' },
  { starts: [0xff, 0xfe], encoding: 'utf-16le', changed: 'It was written in UTF-16, and is UTF-8 now.' },
  { starts: [0xfe, 0xff], encoding: 'utf-16be', changed: 'It was written in UTF-16, and is UTF-8 now.' },
];

/** What people choose by mistake, by its first bytes. */
const NO_TEXTS: readonly { readonly starts: readonly number[]; readonly what: string }[] = [
  { starts: [0x1f, 0x8b], what: 'an archive (gzip): unpack it and choose the YAML file in it' },
  { starts: [0x50, 0x4b, 0x03, 0x04], what: 'an archive (zip): unpack it and choose the YAML file in it' },
  { starts: [0x25, 0x50, 0x44, 0x46], what: 'a PDF: choose a YAML file' },
  { starts: [0x89, 0x50, 0x4e, 0x47], what: 'an image: choose a YAML file' },
  { starts: [0xff, 0xd8, 0xff], what: 'an image: choose a YAML file' },
];

const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** Reads a file that somebody chose as text, whatever wrote it; what is no text is reported, with the line where it shows. */
export function uploadedText({ fileName, bytes, truncated }: UploadedFile): UploadedText {
  const name = fileName === '' ? 'The file' : `“${fileName.slice(0, 100)}”`;
  if (fileName === '' && bytes.length === 0) return { fault: 'Choose a file first' };
  const known = NO_TEXTS.find(({ starts }) => begins(bytes, starts));
  if (known !== undefined) return { fault: `${name} is ${known.what}` };
  if (truncated) return { fault: `${name} is larger than ${LARGEST_UPLOAD / 1024} KiB; it was not loaded` };
  const mark = BYTE_ORDER_MARKS.find(({ starts }) => begins(bytes, starts));
  const body = bytes.subarray(mark?.starts.length ?? 0);
  const text = decode(body, mark?.encoding ?? 'utf-8');
  if (text === undefined)
    return { fault: `Line ${lineOfFirstBroken(body)} of ${name} is not UTF-8 text; save it as UTF-8 and choose it again` };
  if (text.trim() === '') return { fault: `${name} is empty` };
  const control = CONTROL.exec(text);
  if (control !== null) return { fault: controlFault(name, text, control) };
  const unix = text.replaceAll(/\r\n?/g, '\n');
  const ends = unix === text ? [] : ['Its line ends are those of Unix now.'];
  return { text: unix, changed: [...(mark === undefined ? [] : [mark.changed]), ...ends] };
}

function begins(bytes: Buffer, starts: readonly number[]): boolean {
  return starts.every((byte, index) => bytes[index] === byte);
}

function decode(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function lineOfFirstBroken(bytes: Buffer): number {
  let from = 0;
  for (let line = 1; ; line += 1) {
    const end = bytes.indexOf('\n', from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) return line;
    from = end + 1;
  }
}

function controlFault(name: string, text: string, { index }: RegExpExecArray): string {
  const line = text.slice(0, index).split(/\r\n?|\n/).length;
  const code = text.charCodeAt(index);
  const hint = code === 0 ? 'it is no text, or UTF-16; save it as UTF-8 and choose it again' : 'take it out and choose the file again';
  return `Line ${line} of ${name} has a control character (0x${code.toString(16).padStart(2, '0')}): ${hint}`;
}
