import { redact } from '../../domain/core/secret.ts';
import type { ConditionInput } from '../../domain/kubernetes/condition.ts';
import type { TestReport } from '../../domain/operator/release.ts';
import { isFalse, isTrue } from '../conditions.ts';
import type { OwnRelease } from './observe-release.ts';

/** The tests of the newest revision run. */
export function testing({ revision }: Pick<OwnRelease, 'revision'>): ConditionInput {
  return { type: 'Tested', status: 'Unknown', reason: 'Testing', message: `The tests of revision ${revision} are running` };
}

/** How the tests of the newest revision ended. */
export function tested(report: TestReport): ConditionInput {
  if (report.kind === 'Failed') {
    const who = report.failed.length === 0 ? '' : `${report.failed.join(', ')} failed: `;
    return isFalse('Tested', 'TestFailed', `${who}${report.message}`);
  }
  if (report.tests.length === 0) return isTrue('Tested', 'NoTests', 'The chart has no tests');
  return isTrue('Tested', 'TestsPassed', `Passed: ${report.tests.join(', ')}`);
}

/** Names of hooks come from the chart, and may hold a value. */
export function withoutSecretsIn(report: TestReport, secrets: readonly string[]): TestReport {
  const shown = (texts: readonly string[]): readonly string[] => texts.map((text) => redact(text, secrets));
  if (report.kind === 'Passed') return { ...report, tests: shown(report.tests) };
  return { ...report, failed: shown(report.failed), message: redact(report.message, secrets) };
}
