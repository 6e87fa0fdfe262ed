import type { ReconcileResult } from '../../../controller/controller.ts';
import { AppError } from '../../../domain/core/errors.ts';
import { isFalse } from './conditions.ts';
import type { ForeignRelease } from '../facts/judge-release.ts';
import { reportFailure } from './report-failure.ts';
import type { ActiveFacts } from '../state.ts';
import type { Work } from '../work.ts';

/** Says who has a release of that name. It is never touched. */
export async function refuseForeign(work: Work, facts: ActiveFacts, foreign: ForeignRelease): Promise<ReconcileResult> {
  if (facts.wait > 0) return { requeueAfter: facts.wait };
  const { release, namespace } = work.release;
  const error = new AppError('ReleaseConflict', `release "${namespace}/${release}": ${conflictOf(work, foreign)}`);
  const condition = isFalse('Released', error.code, error.message);
  return { requeueAfter: await reportFailure(work, { error, condition, release: facts.release, crds: facts.crds }) };
}

function conflictOf({ spec }: Work, { owner, status }: ForeignRelease): string {
  const otherName = 'choose another spec.releaseName, or uninstall that one';
  if (owner !== '') return `the Operator "${owner.replace('.', '/')}" owns it; ${otherName}`;
  if (spec.adopt) return `somebody is changing it without Chandlery (${status}); it is taken over when that has ended`;
  return `somebody has made it without Chandlery; set spec.adopt to take it over, ${otherName}`;
}
