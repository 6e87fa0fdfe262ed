/** The thread of `health-evaluator.ts`: holds objects against the health rules that people wrote. */
import '../../domain/core/exact-json.ts';
import { celObject, compileRule, type RuleAnswer, type RuleProgram } from '../../domain/health/custom-rules.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { CustomHealthRule } from '../../domain/operator/kind/health-fields.ts';
import { serveJobs } from '../../thread/serve-jobs.ts';

/** Objects of one kind, and the rules for it. */
export interface HealthBatch {
  readonly rules: readonly CustomHealthRule[];
  readonly objects: readonly KubeObject[];
}

/** What one rule says of the objects that no rule before it matched; the parts come in the order of batches and rules. */
export interface RulePart {
  readonly batch: number;
  readonly rule: number;
  readonly answers: readonly { readonly object: number; readonly answer: Exclude<RuleAnswer, { kind: 'NoMatch' }> }[];
}

export const HEALTH_JOBS = { evaluate };

serveJobs(HEALTH_JOBS);

/** Rule by rule, so that whoever ends the thread knows which one keeps it busy. */
function* evaluate(batches: readonly HealthBatch[]): Generator<RulePart, void> {
  for (const [batch, { rules, objects }] of batches.entries()) {
    let open = objects.map((object, index) => ({ index, kind: object.kind, self: celObject(object) }));
    for (const [rule, written] of rules.entries()) {
      const program = programOf(written);
      const answers: RulePart['answers'][number][] = [];
      open = open.filter(({ index, kind, self }) => {
        const answer = program(self, kind);
        if (answer.kind !== 'NoMatch') answers.push({ object: index, answer });
        return answer.kind === 'NoMatch';
      });
      yield { batch, rule, answers };
    }
  }
}

const MAX_PROGRAMS = 2_000;
const programs = new Map<string, RuleProgram>();

/** Compiled once for as long as the thread lives. */
function programOf(rule: CustomHealthRule): RuleProgram {
  const key = JSON.stringify([rule.status, rule.when, rule.message, rule.messageExpression]);
  const known = programs.get(key) ?? compileRule(rule);
  if (programs.size >= MAX_PROGRAMS) programs.clear();
  programs.set(key, known);
  return known;
}
