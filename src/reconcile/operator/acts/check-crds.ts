import { stopsUpgrade, unsafeSentence } from '../../../domain/upgrade/crd-safety/judge-upgrade.ts';
import type { CrdVerdict } from '../../../domain/upgrade/crd-safety/finding.ts';
import { AppError } from '../../../domain/core/errors.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { judgeStored } from '../../../schema/stored/judge-stored.ts';
import { CRD } from '../kinds.ts';
import type { Work } from '../work.ts';

interface Definitions {
  /** In the order of the candidates; undefined where there is none yet. */
  readonly live: readonly (KubeObject | undefined)[];
  readonly candidates: readonly KubeObject[];
}

const MOST_FAULTS = 10;
const MOST_RULES = 5;
const ADVICE =
  'Nothing was changed, and the running release stays. Use a chart that keeps what is stored, change or delete these instances, or set spec.upgrade.crdSafety to None';

/**
 * Compares definitions that are to be applied with those that are live, and every stored instance with the new schema and its new rules; then asks
 * the api-server whether it would take them. Writes nothing.
 *
 * @throws AppError `UnsafeUpgrade` that names what would be lost, unless the Operator says that this does not matter; `InvalidInput` or
 *   `AdmissionDenied` when the api-server would refuse a definition.
 */
export async function checkCrds(work: Work, { live, candidates }: Definitions): Promise<void> {
  const { ports, signal } = work;
  const { crdSafety: safety } = work.spec.upgrade;
  if (safety !== 'None') {
    const verdicts: CrdVerdict[] = [];
    for (const [index, candidate] of candidates.entries()) {
      const before = live[index];
      if (before !== undefined)
        verdicts.push(await judgeStored({ cluster: ports.cluster, live: before, candidate, named: MOST_FAULTS, signal }));
    }
    await tellUnchecked(work, verdicts);
    const isUnsafe = verdicts.some((verdict) => stopsUpgrade(verdict, safety));
    if (isUnsafe) throw new AppError('UnsafeUpgrade', `kinds: ${unsafeSentence(verdicts, safety)}. ${ADVICE}`);
  }
  await askApiServer(work, candidates);
}

/** Whether it would take the definitions; it also refuses rules in CEL that it cannot read or that cost too much. */
async function askApiServer({ ports, signal }: Work, candidates: readonly KubeObject[]): Promise<void> {
  const options = { fieldManager: OURS.fieldManager, force: 'force', fieldValidation: 'Ignore', dryRun: 'All', signal } as const;
  for (const candidate of candidates) await ports.cluster.apply(CRD, candidate, options);
}

/** What could not be looked at is told; it stops nobody. */
async function tellUnchecked({ ports, operator }: Work, verdicts: readonly CrdVerdict[]): Promise<void> {
  const rules = verdicts.flatMap(({ crd, unchecked = [] }) => unchecked.map((rule) => `${crd}: ${rule}`));
  if (rules.length === 0) return;
  const named = rules.slice(0, MOST_RULES).join('; ');
  const message = `Stored instances were not held against ${rules.length === 1 ? 'a new rule' : `${rules.length} new rules`}: ${named}. Look at them before you write to such instances`;
  await ports.events.record(operator, { type: 'Warning', reason: 'RulesNotChecked', message });
}
