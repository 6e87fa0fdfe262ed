import { TEST_AT } from '../domain/app-instance/instance.ts';
import { at, textAt } from '../domain/core/read.ts';
import { findInstance } from './api.ts';
import { ANSWER_NO, type Call, type ClientCommand, ENVIRONMENT_OPTION, type Result } from './client-command.ts';
import { durationOf } from './options.ts';
import { waitUntilInstance } from './wait.ts';

/** `chandlery test`. */
export const TEST_COMMAND: ClientCommand = {
  name: 'test',
  usage: 'INSTANCE',
  summary: 'run the tests of the chart of an instance; exit with 3 if one fails',
  words: { least: 1, most: 1, kinds: ['instance'] },
  options: [
    ENVIRONMENT_OPTION,
    { name: 'wait', help: 'wait for the outcome; exit with 3 if a test fails, or none in time' },
    { name: 'timeout', value: 'DURATION', help: 'how long to wait; default 5m' },
  ],
  examples: ['chandlery test shop -e team-a --wait'],
  act: async (call) => await testInstance(call),
};

async function testInstance(call: Call): Promise<Result> {
  const { api, args } = call;
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const name = `${params.app}/${params.name}`;
  const timeout = durationOf('test', 'timeout', args.text('timeout') ?? '5m');
  const asked = await api.call('testInstance', { params });
  if (!args.flag('wait')) return { data: asked, names: [name], text: () => `${name} tests requested\n` };
  const wanted = textAt(asked, 'object', 'metadata', 'annotations', TEST_AT);
  const isWanted = (instance: unknown): boolean => textAt(lastTestOf(instance), 'requestedAt') === wanted;
  const found = await waitUntilInstance(call, params, { timeoutMs: timeout, isWanted });
  const outcome = lastTestOf(found);
  const message =
    found === undefined ? `the tests have not ended within ${args.text('timeout') ?? '5m'}` : (textAt(outcome, 'message') ?? '');
  return { data: found ?? asked, names: [name], text: () => `${name} ${message}\n`, code: at(outcome, 'passed') === true ? 0 : ANSWER_NO };
}

function lastTestOf(instance: unknown): unknown {
  return at(instance, 'object', 'status', 'lastTest');
}
