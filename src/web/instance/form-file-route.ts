import type { ResourceKind } from '../../form/yaml/read-manifest.ts';
import { pressedOp } from '../../form/input/apply-form-op.ts';
import type { FilePressed, FormOfFiles } from './form-file.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import type { Visit } from '../page/page.ts';

/** What a button about files leads to, as `pressedFile` finds it; undefined for all other buttons. */
export async function loadPressedFile(
  { body, upload }: Pick<Visit, 'body' | 'upload'>,
  form: FormOfFiles,
): Promise<FilePressed | undefined> {
  // A file that came with another button is not looked at.
  const file = pressedOp(body) === 'upload' && upload !== undefined ? { upload } : {};
  return await runFormJob('pressedFile', { body, ...file }, { ...form, resource: kindOf(form.resource) });
}

/** An App is much more than what its resources are called. */
export function kindOf({ group, version, kind }: ResourceKind): ResourceKind {
  return { group, version, kind };
}
