import type { Json } from '../../domain/kubernetes/resource.ts';
import type { ResourceKind } from '../../form/yaml/read-manifest.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { applyFormOp, pressedOp, type FormOpResult } from '../../form/input/apply-form-op.ts';
import { fieldName } from '../../form/input/form-fields.ts';
import { forgottenFile, loadFile } from '../../form/input/load-file.ts';
import type { FileAnswer, Visit } from '../page/page.ts';

/** What a button about files leads to: a form that is shown again, or a file. */
export type FilePressed =
  { readonly draft: FormOpResult; readonly file?: undefined } | { readonly draft?: undefined; readonly file: FileAnswer };

/** A form with buttons about files. */
export interface FormOfFiles {
  readonly model: FormModel;
  readonly resource: ResourceKind;
  /** The live values on edit; `{}` on create. */
  readonly base: Json;
  /** What the file is named after. */
  readonly name: string;
}

/** Loads a file into a form, keeps the form as a file, or minds a file that was chosen and not loaded; undefined for all other buttons. */
export function pressedFile({ body, upload }: Pick<Visit, 'body' | 'upload'>, form: FormOfFiles): FilePressed | undefined {
  const op = pressedOp(body);
  if (op === 'upload') return { draft: loadFile(form.model, body, { file: upload, resource: form.resource }) };
  if (op === null && body.get('_do') === 'download') return downloaded(body, form);
  const faults = op === null && body.get('_do') !== 'edit' ? forgottenFile(body) : [];
  return faults.length === 0 ? undefined : { draft: { fields: body, faults } };
}

/** The YAML of the form, exactly as its YAML tab shows it; what has no place there is a fault. */
function downloaded(body: URLSearchParams, { model, resource, base, name }: FormOfFiles): FilePressed {
  const { path } = model.root;
  const written = body.has(fieldName('yaml', path))
    ? { fields: body, faults: [] }
    : applyFormOp(model, body, { op: `yaml:${formatPath(path)}`, base, resource });
  if (written.faults.length > 0) return { draft: written };
  const yaml = (written.fields.get(fieldName('yaml', path)) ?? '').replaceAll('\r\n', '\n');
  return { file: { fileName: fileNameOf(resource.kind, name), type: 'text/yaml', text: yaml } };
}

/** Letters, digits and hyphens, whatever was typed as the name. */
function fileNameOf(kind: string, name: string): string {
  const words = `${kind.toLowerCase()}-${name}`.replaceAll(/[^A-Za-z0-9]+/g, '-');
  return `${words.slice(0, 100).replace(/-$/, '')}.yaml`;
}
