import type { FieldFault } from '../../domain/core/errors.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { pressedOp, type FormOpResult } from '../../form/input/apply-form-op.ts';
import type { ResourceKind } from '../../form/yaml/read-manifest.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import type { Answer, FileAnswer, Visit } from '../page/page.ts';
import type { FormOfFiles } from './form-file.ts';
import { faultsOfRejection } from './instance-form.ts';
import { fileAnswer, readReviewYaml, wantsReview } from './review.ts';
import type { ReviewYaml } from './review-yaml.ts';

/** What the main buttons of a form of an Instance ask for: the value of `_do`. */
export type FormCommand = 'review' | 'write' | 'ask' | 'propose' | 'file' | 'edit' | 'keep' | 'keep-now';

const COMMANDS: ReadonlyMap<string, FormCommand> = new Map([
  ['install', 'write'],
  ['save', 'write'],
  ['ask', 'ask'],
  ['propose', 'propose'],
  ['file', 'file'],
  ['edit', 'edit'],
  ['keep', 'keep'],
  ['keep-now', 'keep-now'],
]);

/** Anything else, the Enter key included, asks for the review: nothing is written by accident. */
export function commandOf(body: URLSearchParams): FormCommand {
  return COMMANDS.get(body.get('_do') ?? '') ?? 'review';
}

/** What a button that writes nothing leads to: the form as it is then, or a file. */
export type FormEdit = { readonly kind: 'Draft'; readonly draft: FormOpResult } | { readonly kind: 'File'; readonly file: FileAnswer };

/** Carries out the buttons that change a form and write nothing: files, rows, search, YAML. Undefined: the values are wanted. */
export async function editForm({ body, upload }: Pick<Visit, 'body' | 'upload'>, form: FormOfFiles): Promise<FormEdit | undefined> {
  const op = pressedOp(body);
  const resource = kindOf(form.resource);
  // A file that came with another button is not looked at.
  const sent = { body, ...(op === 'upload' && upload !== undefined ? { upload } : {}) };
  const pressed = await runFormJob('pressedFile', sent, { ...form, resource });
  if (pressed?.file !== undefined) return { kind: 'File', file: pressed.file };
  if (pressed !== undefined) return { kind: 'Draft', draft: pressed.draft };
  if (op !== null) return { kind: 'Draft', draft: await runFormJob('applyFormOp', form.model, body, { op, base: form.base, resource }) };
  return commandOf(body) === 'edit' ? { kind: 'Draft', draft: { fields: body, faults: [] } } : undefined;
}

/** The steps of writing an Instance, whether it is new or changed. */
export interface InstanceWrite {
  readonly ask: () => Promise<Answer>;
  readonly propose: () => Promise<Answer>;
  readonly preflight: () => Promise<Preflight>;
  /** Resolves to the path of the Instance. */
  readonly write: () => Promise<string>;
  readonly review: (preflight: Preflight, typed: ReviewYaml) => Promise<Answer>;
  /** Faults that the preflight found in fields. */
  readonly correct: (faults: readonly FieldFault[]) => Promise<Answer>;
}

/** Preflight always; writes only when that was asked for and nothing is in the way. */
export async function submitForm(body: URLSearchParams, steps: InstanceWrite): Promise<Answer> {
  const command = commandOf(body);
  if (command === 'ask') return await steps.ask();
  if (command === 'propose') return await steps.propose();
  const preflight = await steps.preflight();
  if (preflight.missing.length === 0 && preflight.faults.length > 0) return await steps.correct(preflight.faults);
  const typed = await readReviewYaml(preflight, body);
  if (command === 'file') return fileAnswer(preflight, typed);
  const mayWrite = command === 'write' && preflight.verdict === 'Ready' && !wantsReview(preflight, body, typed);
  return mayWrite ? { redirect: await steps.write() } : await steps.review(preflight, typed);
}

/** Answers what the operations reject by fault in a field with the form; throws everything else. */
export async function orCorrect(error: unknown, correct: InstanceWrite['correct']): Promise<Answer> {
  const faults = faultsOfRejection(error);
  if (faults === undefined) throw error;
  return await correct(faults);
}

/** An App is much more than what its resources are called. */
export function kindOf({ group, version, kind }: ResourceKind): ResourceKind {
  return { group, version, kind };
}
