import { listAt, numberAt, textAt } from '../domain/core/read.ts';
import { manyLines, oneLine } from '../domain/core/plain-text.ts';
import { AppError } from '../domain/core/errors.ts';
import { textColumn } from './catalog-commands.ts';
import { type Call, listing, type Result } from './client-command.ts';
import { wrong } from './options.ts';
import { ageOf } from './output.ts';

/** `chandlery source history NAME`. */
export async function sourceHistory({ api }: Call, name: string): Promise<Result> {
  const source = await api.call('showSource', { params: { name } });
  return listing({
    items: listAt(source, 'history'),
    columns: [
      { title: 'REVISION', cell: (entry) => (textAt(entry, 'revision') ?? '').replace(/\b([0-9a-f]{12})[0-9a-f]{20,}$/, '$1') },
      textColumn('RESULT', 'outcome'),
      { title: 'ADDED', cell: (entry) => String(numberAt(entry, 'added') ?? 0) },
      { title: 'CHANGED', cell: (entry) => String(numberAt(entry, 'changed') ?? 0) },
      { title: 'REMOVED', cell: (entry) => String(numberAt(entry, 'deleted') ?? 0) },
      { title: 'AGE', cell: (entry) => ageOf(textAt(entry, 'time'), Date.now()) },
      { title: 'COMMIT', cell: (entry) => oneLine(textAt(entry, 'subject') ?? '') || '-' },
    ],
    nameOf: (entry) => textAt(entry, 'revision') ?? '',
    empty: 'No revisions yet.',
  });
}

/** `chandlery source diff NAME --revision REVISION`: a patch for the folder, and nothing else, on the standard output. */
export async function sourceDiff(call: Call, name: string): Promise<Result> {
  const rollback = await call.api.call('previewSourceRollback', { params: { name }, query: { revision: revisionOf(call, 'diff') } });
  if (textAt(rollback, 'origin', 'kind') !== 'Folder') {
    const commands = listAt(rollback, 'commands').map((one) => `${textAt(one, 'label') ?? ''}:\n  ${textAt(one, 'text') ?? ''}\n`);
    throw new AppError('InvalidInput', `source/${name}: it is no folder, so there is no patch. ${commands.join('')}`);
  }
  if (!Array.isArray((rollback as { readonly files?: unknown }).files))
    throw new AppError('NotFound', `source/${name}: no files of this revision are kept; restore them from a backup`);
  const withheld = listAt(rollback, 'withheld').map(String);
  if (withheld.length > 0) call.note(`not in the patch, because they hold sensitive values: ${withheld.map(oneLine).join(', ')}`);
  const files = listAt(rollback, 'files').map((file) => textAt(file, 'file') ?? '');
  if (files.length === 0) call.note('no file differs from this revision');
  const patch = textAt(rollback, 'patch') ?? '';
  // Programs get the patch as it is; a terminal gets no control characters.
  return { data: rollback, names: files, text: ({ colors }) => (colors ? manyLines(patch) : patch) };
}

/** `chandlery source rollback NAME --revision REVISION`: opens a merge request. */
export async function proposeRollback(call: Call, name: string): Promise<Result> {
  const body = { revision: revisionOf(call, 'rollback'), message: call.args.text('message') ?? '' };
  const proposal = await call.api.call('proposeSourceRollback', { params: { name }, body });
  const url = textAt(proposal, 'url') ?? '';
  return { data: proposal, names: [url], text: () => `source/${name} merge request opened: ${oneLine(url)}\n` };
}

function revisionOf({ args }: Call, action: 'diff' | 'rollback'): string {
  const revision = args.text('revision');
  if (revision !== undefined) return revision;
  throw wrong('source', `name the revision, e.g. chandlery source ${action} catalog --revision 4f1c2a9`);
}
