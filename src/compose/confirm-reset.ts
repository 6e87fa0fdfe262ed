import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { AppError } from '../domain/core/errors.ts';
import { resettableEntries } from '../embedded/cluster/state-folder.ts';
import type { Dialog } from './leader/confirm-installation.ts';

interface ResetInput {
  readonly config: Pick<Config, 'reset' | 'yes' | 'cluster'>;
  readonly stateDir: string;
  readonly dialog: Dialog;
}

/**
 * Says what `--reset` deletes, and asks where there is a terminal. Scripts go on.
 *
 * @throws AppError `ConfigInvalid` when the person says no.
 */
export async function confirmReset({ config, stateDir, dialog }: ResetInput): Promise<void> {
  if (!config.reset) return;
  const entries = await resettableEntries(stateDir);
  if (entries.length === 0) return;
  for (const line of describeReset(resolve(stateDir), entries, config.cluster)) dialog.note(line);
  if (config.yes || dialog.confirm === undefined || (await dialog.confirm('Delete them? [y/N] '))) return;
  throw new AppError('ConfigInvalid', '--reset: you did not confirm: nothing was deleted; start without --reset to keep the state');
}

function describeReset(folder: string, entries: readonly string[], cluster: Config['cluster']): readonly string[] {
  return [
    `--reset deletes the content of the state folder ${folder}:`,
    `  ${entries.join(', ')}`,
    ...(entries.includes('etcd') ? ['  etcd has the embedded cluster: all its resources, instances and releases are deleted.'] : []),
    ...(cluster.kind === 'embedded' ? [] : ['  The resources of your own cluster stay as they are.']),
  ];
}
