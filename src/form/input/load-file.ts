import type { FieldFault } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';
import type { ResourceKind } from '../yaml/read-manifest.ts';
import type { FormModel } from '../model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { readYaml } from '../../schema/yaml-text.ts';
import type { FormOpResult } from './apply-form-op.ts';
import { fieldName, parseFieldName } from './form-fields.ts';
import { uploadedText, type UploadedFile } from './uploaded-text.ts';
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
