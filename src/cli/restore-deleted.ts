import { AppError } from '../domain/core/errors.ts';
import { listAt, textAt } from '../domain/core/read.ts';
import { findEnvironment } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { written } from './change-commands.ts';
import { type Call, type ClientCommand, dryRunOption, ENVIRONMENT_OPTION, listing, type Result } from './client-command.ts';
import { WAIT_OPTIONS } from './instance-commands.ts';
import { ageOf } from './output.ts';
import { preflightResult } from './preflight-text.ts';

/** `chandlery restore`. */
export const RESTORE_COMMAND: ClientCommand = {
  name: 'restore',
  usage: '[NAME]',
  summary: 'create a deleted instance of a chart again; without an argument, list those of the last seven days',
  words: { least: 0, most: 1, kinds: [] },
  options: [ENVIRONMENT_OPTION, dryRunOption('run the preflight checks and write nothing'), ...WAIT_OPTIONS],
  examples: ['chandlery restore -e team-a', 'chandlery restore shop -e team-a --dry-run'],
  act: async (call) => await restoreDeleted(call),
};

/** A name is that of the instance, or `apps/name` where several kinds had it. */
async function restoreDeleted(call: Call): Promise<Result> {
  const { api, args } = call;
  const environment = await findEnvironment(api, args.text('environment'));
  const answer = await api.call('listDeletedInstances', { params: { environment } });
  const [missing] = listAt(answer, 'missing');
  if (missing !== undefined) {
    const permission = `${textAt(missing, 'verb') ?? ''} ${textAt(missing, 'resource') ?? ''}`;
    throw new AppError('Forbidden', `${environment}: you may not ${permission}, in which deleted instances are recorded`);
  }
  const items = listAt(answer, 'items');
  const [word] = args.words;
  if (word === undefined) return listed(items);
  const found = find(items, word);
  const params = { environment, id: textAt(found, 'id') ?? '' };
  const instance = { environment, app: textAt(found, 'app') ?? '', name: textAt(found, 'name') ?? '' };
  if (args.flag('dry-run')) {
    const preflight = await api.call('restoreInstance', { params, query: { dryRun: 'All' } });
    return preflightResult(preflight, [`${instance.app}/${instance.name}`]);
  }
  return await written(call, instance, { did: 'created again', object: await api.call('restoreInstance', { params }) });
}

function listed(items: readonly unknown[]): Result {
  return listing({
    items,
    columns: [
      textColumn('NAME', 'name'),
      textColumn('APP', 'app'),
      { title: 'VERSION', cell: (item) => textAt(item, 'version') ?? '-' },
      { title: 'DELETED', cell: (item) => ageOf(textAt(item, 'deleted'), Date.now()) },
      { title: 'BY', cell: (item) => textAt(item, 'deletedBy') ?? '-' },
      textColumn('UNTIL', 'expires'),
    ],
    nameOf: (item) => textAt(item, 'name') ?? '',
    empty: 'No instance was deleted in the last seven days.',
  });
}

/** The one that was deleted last. */
function find(items: readonly unknown[], word: string): unknown {
  const [name = '', plural] = word.split('/').reverse();
  const found = items.find(
    (item) => textAt(item, 'name') === name && (plural === undefined || textAt(item, 'app')?.split('.')[0] === plural),
  );
  if (found !== undefined) return found;
  throw new AppError('NotFound', `${JSON.stringify(word)}: no deleted instance of this name; "chandlery restore" lists them`);
}
