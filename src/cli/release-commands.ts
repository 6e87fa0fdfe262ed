import { TEST_AT } from '../domain/app-instance/instance.ts';
import { at, listAt, textAt } from '../domain/core/read.ts';
import { findEnvironment, findInstance } from './api.ts';
import { ANSWER_NO, type Call, type ClientCommand, dryRunOption, ENVIRONMENT_OPTION, type Result } from './client-command.ts';
import { durationOf, type Option, wrong } from './options.ts';
import { preflightResult } from './preflight-text.ts';
import { waitUntilInstance } from './wait.ts';

const TIMEOUT: Option = { name: 'timeout', value: 'DURATION', help: 'how long to wait; default 5m' };

const TO: Option = { name: 'to', value: 'ENVIRONMENT', help: 'the other environment' };
const NAME: Option = { name: 'name', value: 'NAME', help: 'the name there; default: the same' };
const DRY_RUN = dryRunOption('show the changes and run the preflight checks');

/** Commands for the releases of instances of charts. */
export const RELEASE_COMMANDS: readonly ClientCommand[] = [
  {
    name: 'test',
    usage: 'INSTANCE',
    summary: 'run the tests of the chart of an instance; exit with 3 if one fails',
    words: { least: 1, most: 1, kinds: ['instance'] },
    options: [ENVIRONMENT_OPTION, { name: 'wait', help: 'wait for the outcome; exit with 3 if a test fails, or none in time' }, TIMEOUT],
    examples: ['chandlery test shop -e team-a --wait'],
    act: async (call) => await testInstance(call),
  },
  {
    name: 'reinstall',
    usage: 'INSTANCE',
    summary: 'delete the changed release records of an instance, and install its chart anew; objects stay',
    words: { least: 1, most: 1, kinds: ['instance'] },
    options: [ENVIRONMENT_OPTION],
    examples: ['chandlery reinstall shop -e team-a'],
    act: async (call) => await repairRelease(call, 'reinstallInstance', 'reinstallation requested'),
  },
  {
    name: 'forget',
    usage: 'INSTANCE',
    summary: 'let the deletion of an instance with changed release records end; the objects of its release stay',
    words: { least: 1, most: 1, kinds: ['instance'] },
    options: [ENVIRONMENT_OPTION],
    examples: ['chandlery forget shop -e team-a'],
    act: async (call) => await repairRelease(call, 'forgetRelease', 'release will be forgotten'),
  },
  {
    name: 'sleep',
    usage: 'INSTANCE',
    summary: 'scale the workloads of an instance of a chart to zero; data stays',
    words: { least: 1, most: 1, kinds: ['instance'] },
    options: [ENVIRONMENT_OPTION, { name: 'wait', help: 'wait until the instance is asleep; exit with 3 if it is not in time' }, TIMEOUT],
    examples: ['chandlery sleep shop -e team-a'],
    act: async (call) => await setSleep(call, 'sleep'),
  },
  {
    name: 'wake',
    usage: 'INSTANCE',
    summary: 'give the workloads of an instance that sleeps their replicas again',
    words: { least: 1, most: 1, kinds: ['instance'] },
    options: [ENVIRONMENT_OPTION, { name: 'wait', help: 'wait until the instance is ready; exit with 3 if it is not in time' }, TIMEOUT],
    examples: ['chandlery wake shop -e team-a --wait'],
    act: async (call) => await setSleep(call, 'wake'),
  },
  {
    name: 'copy',
    usage: 'INSTANCE',
    summary: 'create an instance with the values and the version of another one; sensitive values are not copied',
    words: { least: 1, most: 1, kinds: ['instance'] },
    options: [ENVIRONMENT_OPTION, TO, NAME, DRY_RUN],
    examples: ['chandlery copy shop -e team-a --to team-a-production --dry-run'],
    act: async (call) => await takeElsewhere(call, 'copy'),
  },
  {
    name: 'promote',
    usage: 'INSTANCE',
    summary: 'change an instance to the values and the version of another one',
    words: { least: 1, most: 1, kinds: ['instance'] },
    options: [ENVIRONMENT_OPTION, TO, NAME, DRY_RUN],
    examples: ['chandlery promote shop -e team-a --to team-a-production --dry-run'],
    act: async (call) => await takeElsewhere(call, 'promote'),
  },
];

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

async function repairRelease({ api, args }: Call, operation: 'reinstallInstance' | 'forgetRelease', done: string): Promise<Result> {
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const name = `${params.app}/${params.name}`;
  return { data: await api.call(operation, { params }), names: [name], text: () => `${name} ${done}\n` };
}

async function setSleep(call: Call, command: 'sleep' | 'wake'): Promise<Result> {
  const { api, args } = call;
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const name = `${params.app}/${params.name}`;
  const timeoutMs = durationOf(command, 'timeout', args.text('timeout') ?? '5m');
  const asked = await api.call(command === 'sleep' ? 'sleepInstance' : 'wakeInstance', { params });
  const [doing, done] = command === 'sleep' ? ['falls asleep', 'is asleep'] : ['wakes', 'is awake'];
  if (!args.flag('wait')) return { data: asked, names: [name], text: () => `${name} ${doing}\n` };
  const isWanted = (instance: unknown): boolean => {
    const ready = listAt(instance, 'object', 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
    return command === 'sleep' ? textAt(ready, 'reason') === 'Asleep' : textAt(ready, 'status') === 'True';
  };
  const found = await waitUntilInstance(call, params, { timeoutMs, isWanted });
  const text = found === undefined ? `${doing}: not done within ${args.text('timeout') ?? '5m'}` : done;
  return { data: found ?? asked, names: [name], text: () => `${name} ${text}\n`, code: found === undefined ? ANSWER_NO : 0 };
}

async function takeElsewhere(call: Call, command: 'copy' | 'promote'): Promise<Result> {
  const { api, args } = call;
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const to = args.text('to');
  if (to === undefined) throw wrong(command, 'name the other environment by --to');
  const [environment, name] = [await findEnvironment(api, to), args.text('name') ?? params.name];
  const operation = command === 'copy' ? 'copyInstance' : 'promoteInstance';
  const there = `${params.app}/${name}`;
  const body = { environment, name };
  if (args.flag('dry-run')) return preflightResult(await api.call(operation, { params, query: { dryRun: 'All' }, body }), [there]);
  const data = await api.call(operation, { params, body });
  return { data, names: [there], text: () => `${there} ${command === 'copy' ? 'created' : 'changed'} in ${environment}\n` };
}
