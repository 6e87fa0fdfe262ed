import { isUtf8 } from 'node:buffer';
import type { FieldFault } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';
import type { ResourceKind } from '../yaml/read-manifest.ts';
import type { FormModel } from '../model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { readYaml } from '../../schema/yaml-text.ts';
import type { FormOpResult } from './apply-form-op.ts';
import { fieldName, parseFieldName } from './form-fields.ts';
import { openWhole } from '../yaml/whole-yaml.ts';

/** The input that a file is chosen with; of a form that is sent without files it holds the name of one. */
const FILE_INPUT = '_file';
/** What faults of the file name. */
export const FILE_FIELD = 'upload';

/**
 * Puts a file in the place of the form's values, as YAML with its comments. What cannot be read as YAML is in the form as well, to be corrected there; what
 * is no text leaves the form as it was. Inputs that are no part of the values stay.
 */
export function loadFile(
  model: FormModel,
  fields: URLSearchParams,
  { file, resource }: { readonly file: UploadedFile | undefined; readonly resource: ResourceKind },
): FormOpResult {
  const read = uploadedText(file ?? { fileName: '', bytes: Buffer.alloc(0), truncated: false });
  if (read.fault !== undefined)
    return { fields: withNote(fields, '_rejected', read.fault), faults: [{ field: FILE_FIELD, message: read.fault }] };
  const loaded = new URLSearchParams([...fields].filter(([name]) => parseFieldName(name) === undefined));
  loaded.set(fieldName('yaml', model.root.path), read.text);
  const lines = read.text.replace(/\n$/, '').split('\n').length;
  const said = [
    `${lines === 1 ? 'One line' : `${lines} lines`} of “${(file?.fileName ?? '').slice(0, 100)}” are in the form now.`,
    ...read.changed,
  ];
  return { fields: withNote(loaded, '_loaded', said.join(' ')), faults: faultsOf(model, loaded, { text: read.text, resource }) };
}

function faultsOf(
  model: FormModel,
  fields: URLSearchParams,
  { text, resource }: { readonly text: string; readonly resource: ResourceKind },
): readonly FieldFault[] {
  const field = formatPath(model.root.path);
  const { value, ...rejection } = readYaml(text);
  if (rejection.fault !== undefined) {
    const { fault, line, column } = rejection;
    return [{ field, message: `Line ${line}, column ${column}: ${fault}`, line, column }];
  }
  if (value !== undefined && !isObject(value))
    return [{ field, message: 'Line 1: Write keys and values, such as "size: 1"', line: 1, column: 1 }];
  return openWhole(model, fields, resource).faults;
}

/** What is wrong when a form is sent in which a file was chosen and never loaded. */
export function forgottenFile(body: URLSearchParams): readonly FieldFault[] {
  const name = body.get(FILE_INPUT) ?? '';
  if (name === '') return [];
  const message = `“${name.slice(0, 100)}” was selected but not loaded: select it again and load it, or submit the form without it`;
  return [{ field: FILE_FIELD, message }];
}

function withNote(fields: URLSearchParams, name: '_rejected' | '_loaded', text: string): URLSearchParams {
  const noted = new URLSearchParams(fields);
  noted.set(name, text);
  return noted;
}

/** A file as it came. */
interface UploadedFile {
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly truncated: boolean;
}

/** The text of a file with line feeds, and in sentences what was changed to get it; or why it is none. */
type UploadedText =
  | { readonly text: string; readonly changed: readonly string[]; readonly fault?: undefined }
  | { readonly text?: undefined; readonly fault: string };

/** Bytes of a YAML file; shown on the page before one is chosen. */
export const MAX_UPLOAD_BYTES = 256 * 1024;

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
function uploadedText({ fileName, bytes, truncated }: UploadedFile): UploadedText {
  const name = fileName === '' ? 'The file' : `“${fileName.slice(0, 100)}”`;
  if (fileName === '' && bytes.length === 0) return { fault: 'Choose a file first' };
  const known = NO_TEXTS.find(({ starts }) => begins(bytes, starts));
  if (known !== undefined) return { fault: `${name} is ${known.what}` };
  if (truncated || bytes.length > MAX_UPLOAD_BYTES)
    return { fault: `${name} is larger than ${MAX_UPLOAD_BYTES / 1024} KiB; it was not loaded` };
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
