import { textAt } from '../domain/core/read.ts';
import { findEnvironment } from './api.ts';
import { type Call, type ClientCommand, ENVIRONMENT_OPTION, type Result } from './client-command.ts';

/** Commands for resources in the namespaces of environments. */
export const RESOURCE_COMMANDS: readonly ClientCommand[] = [
  {
    name: 'run',
    usage: 'CRONJOB',
    summary: 'run a CronJob of an environment now, apart from its schedule; prints the Job that the controller creates',
    words: { least: 1, most: 1, kinds: [] },
    options: [
      ENVIRONMENT_OPTION,
      { name: 'instance', value: 'APP/NAME', help: 'the instance with a namespace of its own that the CronJob is in' },
    ],
    examples: ['chandlery run backup -e team-a', 'chandlery run tidy -e team-a --instance webapps.apps.chandlery.dev/shop'],
    act: async (call) => await runCronJob(call),
  },
];

async function runCronJob({ api, args }: Call): Promise<Result> {
  const environment = await findEnvironment(api, args.text('environment'));
  const instance = args.text('instance');
  const data = await api.call('runCronJob', {
    params: { environment, resource: 'cronjobs.batch', name: args.words[0] ?? '' },
    ...(instance === undefined ? {} : { query: { instance } }),
  });
  const job = `${textAt(data, 'resource') ?? ''}/${textAt(data, 'name') ?? ''}`;
  return { data, names: [job], text: () => `${job} requested\n` };
}
