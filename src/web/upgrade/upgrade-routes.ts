import { Router } from 'express';
import { isAppError } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';
import type { UpgradePreview } from '../../domain/upgrade/preview/upgrade-preview.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { operatorCrumbs } from '../operator/operator-routes.ts';
import { createLongWork, type WorkWords } from '../page/long-work.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { operatorPath } from '../page/paths.ts';
import { PROPOSAL_FAULTS, proposed } from '../proposal/proposal-routes.ts';
import type { OperatorAddress } from '../../operation/operator/find-operator.ts';
import { decisionsOf } from './value-decisions-view.ts';
import { upgradePage, type UpgradeOutcome } from './upgrade-page.ts';

const ROUTE = '/operators/:namespace/:name/upgrade';
const NO_MAP = 'Enter values as YAML, such as replicas: 2';

/** What moving an Operator to another version would do, and the approval of it. */
export function upgradeRoutes(deps: WebDeps): Router {
  const router = Router();
  const work = createLongWork();
  router.get(
    ROUTE,
    page(deps, async (visit) => {
      const path = operatorPath(addressOf(visit), 'upgrade');
      const words = wordsFor(visit);
      if (visit.query.has('check')) return await work.find(visit, path, words);
      const version = visit.query.get('version') ?? '';
      const approved = visit.query.has('approved') ? ({ approved: 'approved' } as const) : {};
      const address = visit.query.size === 0 ? path : `${path}?${visit.query.toString()}`;
      return await work.join(visit, address, { words, run: async () => await show(deps, visit, version, approved) });
    }),
  );
  router.post(
    ROUTE,
    page(deps, async (visit) => {
      const path = operatorPath(addressOf(visit), 'upgrade');
      return await work.begin(visit, path, { words: wordsFor(visit), run: async () => await approve(deps, visit) });
    }),
  );
  return router;
}

function wordsFor(visit: Visit): WorkWords {
  const address = addressOf(visit);
  return {
    title: 'Preparing the upgrade preview',
    text: 'Chandlery fetches and renders the charts, and does a dry run of each object.',
    crumbs: operatorCrumbs({ ...address, displayName: address.name }, 'Upgrade'),
  };
}

/** What other values would do. A text that cannot be read comes back beside the preview without it. */
async function tryValues(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { body } = visit;
  const version = body.get('version') ?? '';
  const text = (body.get('previewValues') ?? '').replaceAll('\r\n', '\n');
  const read = await runFormJob('readYaml', text);
  const fault = read.fault === undefined ? NO_MAP : `Line ${read.line}: ${read.fault}`;
  if (read.fault !== undefined || !isObject(read.value)) return await show(deps, visit, version, { previewValuesFault: fault, body });
  const values = read.value;
  const preview = await deps.operations.previewUpgrade(visit.actor, { ...addressOf(visit), version, values });
  return answerOf(preview, upgradePage(preview, { body }), {});
}

async function show({ operations }: WebDeps, visit: Visit, version: string, outcome: UpgradeOutcome): Promise<Answer> {
  const decisions = outcome.body === undefined ? undefined : decisionsOf(outcome.body);
  const asked = { ...addressOf(visit), version, ...(decisions === undefined ? {} : { decisions }) };
  const [preview, owner] = await Promise.all([
    operations.previewUpgrade(visit.actor, asked),
    operations.showOperatorOwner(visit.actor, addressOf(visit)),
  ]);
  return answerOf(preview, upgradePage(preview, { owner, ...outcome }), outcome);
}

function answerOf(preview: UpgradePreview, model: object, { rejected, previewValuesFault }: UpgradeOutcome): Answer {
  const undecided = preview.decisions.state === 'Invalid' || previewValuesFault !== undefined;
  return {
    view: 'operators/upgrade',
    title: `${rejected === undefined && !undecided ? '' : 'Error: '}Upgrade of ${preview.displayName}`,
    section: 'operators',
    crumbs: operatorCrumbs(preview, 'Upgrade'),
    model,
    ...(rejected !== undefined ? { status: 409 } : undecided ? { status: 422 } : {}),
  };
}

async function approve(deps: WebDeps, visit: Visit): Promise<Answer> {
  const address = addressOf(visit);
  const { body } = visit;
  const version = body.get('version') ?? '';
  if (body.get('_do') === 'try') return await tryValues(deps, visit);
  if (body.get('_do') === 'look') return await show(deps, visit, version, { body });
  const isProposal = body.get('_do') === 'propose';
  const decisions = isProposal ? undefined : decisionsOf(body);
  const approval = { ...address, version, digest: body.get('digest') ?? '', ...(decisions === undefined ? {} : { decisions }) };
  try {
    if (isProposal) return await proposed(visit, async (wish) => await deps.operations.proposeUpgrade(visit.actor, { approval, ...wish }));
    await deps.operations.approveUpgrade(visit.actor, { ...approval, ...visit.requestOrigin });
  } catch (error) {
    if (isAppError(error, 'InvalidInput') && decisions !== undefined) return await show(deps, visit, version, { body });
    if (!isAppError(error, 'ApprovalInvalid', ...(isProposal ? PROPOSAL_FAULTS : ['Conflict' as const]))) throw error;
    const rejected = { title: isProposal ? 'Proposal failed' : 'Approval failed', text: error.message } as const;
    return await show(deps, visit, version, {
      rejected,
      body: isProposal ? new URLSearchParams({ _proposal: body.get('_proposal') ?? '' }) : body,
    });
  }
  return { redirect: `${operatorPath(address, 'upgrade')}?version=${encodeURIComponent(version)}&approved` };
}

function addressOf(visit: Visit): OperatorAddress {
  return { namespace: visit.param('namespace'), name: visit.param('name') };
}
