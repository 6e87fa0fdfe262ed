import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/core/errors.ts';
import { at, listAt, numberAt, textAt, textsAt } from '../domain/core/read.ts';
import { listAll } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { ANSWER_NO, type Call, listing, type Result } from './client-command.ts';
import { durationOf, wrong } from './options.ts';
import { ageOf, colored } from './output.ts';
import { bullets, findingSections, preflightResult } from './preflight-text.ts';

type OperatorParams = Readonly<Record<'namespace' | 'name', string>>;

/** The Operator that `operator/NAMESPACE/NAME` names; undefined for any other word. */
export function operatorIn(word: string): OperatorParams | undefined {
  const [, namespace, name] = /^operator\/([^/]+)\/([^/]+)$/.exec(word) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  if (word.startsWith('operator/')) throw wrong('operator', `write operator/NAMESPACE/NAME instead of ${JSON.stringify(word)}`);
  return undefined;
}

function textOf({ namespace, name }: OperatorParams): string {
  return `operator/${namespace}/${name}`;
}

/** An upgrade is an approval: the controller does the rest, with exactly the chart that the preview showed. */
export async function upgradeOperator(call: Call, params: OperatorParams): Promise<Result> {
  const { api, args } = call;
  if (args.texts('set').length + args.texts('unset').length + args.texts('file').length > 0) {
    throw wrong('upgrade', 'values of an Operator are in its resource or its file; change them there, and name --version here');
  }
  const version = args.text('version');
  const preview = await api.call('previewUpgrade', { params, query: version === undefined ? {} : { version } });
  if (args.flag('dry-run')) return previewResult(preview, params);
  const body = { version: textAt(preview, 'to', 'version') ?? version ?? '', digest: textAt(preview, 'to', 'digest') ?? '' };
  const approved = await api.call('approveUpgrade', { params, body });
  if (args.flag('wait')) return await waitedOperator(call, params, body.version);
  return { data: approved, names: [textOf(params)], text: () => `${textOf(params)} upgrade to ${body.version} approved\n` };
}

function previewResult(preview: unknown, params: OperatorParams): Result {
  const verdict = textAt(preview, 'verdict', 'kind') ?? '';
  const changes = listAt(preview, 'objects', 'changes').map(
    (change) => `${textAt(change, 'change') ?? ''} ${textAt(change, 'kind') ?? ''} ${textAt(change, 'name') ?? ''}`,
  );
  const crds = listAt(preview, 'crds', 'items').flatMap((crd) =>
    listAt(crd, 'findings').map(
      (finding) => `${textAt(crd, 'crd') ?? ''} ${textAt(finding, 'path') ?? ''}: ${textAt(finding, 'message') ?? ''}`,
    ),
  );
  return {
    data: preview,
    names: [textOf(params)],
    code: verdict === 'Blocked' ? ANSWER_NO : 0,
    text: (style) =>
      [
        `${style.colors ? colored(verdict) : verdict}: ${textAt(preview, 'from', 'version') ?? 'nothing'} to ${textAt(preview, 'to', 'version') ?? ''}\n`,
        bullets('Blockers', textsAt(preview, 'verdict', 'blockers')),
        bullets('Unchecked', textsAt(preview, 'verdict', 'unchecked')),
        bullets('Warnings', textsAt(preview, 'warnings')),
        bullets('Objects', changes),
        bullets('CRDs', crds),
        ...findingSections(at(preview, 'findings')),
        `Instances: ${numberAt(preview, 'instances', 'total') ?? 0}\n`,
      ]
        .filter((section) => section !== '')
        .join('\n'),
  };
}

const EVERY_MS = 1_000;

async function waitedOperator({ api, args, note, signal }: Call, params: OperatorParams, version: string): Promise<Result> {
  const end = performance.now() + durationOf('upgrade', 'timeout', args.text('timeout') ?? '5m');
  let said = '';
  for (;;) {
    const operator = await api.call('showOperator', { params });
    const [status, message] = [textAt(operator, 'status') ?? '', textAt(operator, 'message') ?? ''];
    if (`${status}: ${message}` !== said) note(`${status}: ${message}`);
    said = `${status}: ${message}`;
    const isDone = status === 'READY' && textAt(operator, 'chart', 'version') === version;
    if (isDone || performance.now() > end) {
      const words = isDone ? `is at ${version}` : `is not at ${version} in time: ${said}`;
      return { data: operator, names: [textOf(params)], text: () => `${textOf(params)} ${words}\n`, code: isDone ? 0 : ANSWER_NO };
    }
    await sleep(EVERY_MS, undefined, { signal });
  }
}

/** Approves the version that waits, or the one that is named. */
export async function approveOperator({ api, args }: Call, params: OperatorParams): Promise<Result> {
  const operator = await api.call('showOperator', { params });
  const version = args.text('version') ?? textAt(operator, 'pendingUpgrade', 'version');
  if (version === undefined)
    throw new AppError('ApprovalInvalid', `${textOf(params)}: no upgrade waits for an approval; name one with --version`);
  if (args.flag('dry-run')) return previewResult(await api.call('previewUpgrade', { params, query: { version } }), params);
  const pending = textAt(operator, 'pendingUpgrade', 'version') === version ? textAt(operator, 'pendingUpgrade', 'chartDigest') : undefined;
  const approved = await api.call('approveUpgrade', { params, body: { version, ...(pending === undefined ? {} : { digest: pending }) } });
  return { data: approved, names: [textOf(params)], text: () => `${textOf(params)} upgrade to ${version} approved\n` };
}

/** What happens to its instances is the policy of the Operator. */
export async function deleteOperator({ api, args }: Call, params: OperatorParams): Promise<Result> {
  if (args.flag('dry-run')) {
    const preview = await api.call('previewOperatorDeletion', { params });
    const blockers = listAt(preview, 'blockers').map(
      (one) => `${textAt(one, 'kind') ?? ''} ${textAt(one, 'namespace') ?? ''}/${textAt(one, 'name') ?? ''}`,
    );
    const steps = listAt(preview, 'steps').map((step) => textAt(step, 'description') ?? '');
    return {
      data: preview,
      names: [textOf(params)],
      code: blockers.length > 0 ? ANSWER_NO : 0,
      text: () =>
        [
          `Policy ${textAt(preview, 'policy') ?? ''}, ${numberAt(preview, 'instances') ?? 0} instances\n`,
          bullets('Blockers', blockers),
          bullets('Steps', steps),
        ]
          .filter((section) => section !== '')
          .join('\n'),
    };
  }
  await api.call('deleteOperator', { params });
  return { data: params, names: [textOf(params)], text: () => `${textOf(params)} deletion accepted\n` };
}

/** Approves a change request exactly as it was shown: by the digest of its effect. */
export async function approveRequest({ api, args }: Call): Promise<Result> {
  const [id] = args.words;
  if (id === undefined) {
    return listing({
      items: await listAll(api, 'listChangeRequests', { query: { awaitingApproval: 'true' } }),
      columns: [
        textColumn('REQUEST', 'id'),
        textColumn('ACTION', 'action'),
        textColumn('ENVIRONMENT', 'environment'),
        { title: 'INSTANCE', cell: (item) => `${textAt(item, 'app') ?? ''}/${textAt(item, 'name') ?? ''}` },
        textColumn('REQUESTER', 'requester', 'user'),
        { title: 'AGE', cell: (item) => ageOf(textAt(item, 'created'), Date.now()) },
      ],
      nameOf: (item) => textAt(item, 'id') ?? '',
      empty: 'No change request waits for you.',
    });
  }
  const shown = await api.call('showChangeRequest', { params: { id } });
  if (args.flag('dry-run')) return { ...preflightResult(at(shown, 'preflight'), [id]), data: shown };
  const written = await api.call('approveChangeRequest', { params: { id }, body: { digest: textAt(shown, 'digest') ?? '' } });
  const isPending = at(written, 'changeRequest') !== undefined;
  const [app, name] = ['app', 'name'].map((key) => textAt(shown, 'changeRequest', key) ?? '');
  return {
    data: written,
    names: [`${app}/${name}`],
    text: () => `${app}/${name} approved${isPending ? '; Chandlery is about to write it' : ''}\n`,
  };
}
