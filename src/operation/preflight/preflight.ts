import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Written } from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError, type ErrorCode, type FieldFault, type MissingPermission } from '../../domain/core/errors.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import type { Commands, Preflight } from '../../domain/instance/instance.ts';
import { joinFindings, type Finding, type Findings, type FindingSubject } from '../../domain/preflight/findings.ts';
import { remedyFor } from '../../domain/preflight/remedy.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ValueChange } from '../../domain/values/value-change.ts';
import type { Marked } from '../../schema/sensitive/sensitive-values.ts';
import { redactTexts, secretsOf, shownObject, withBareStandIns } from '../instance/instance-masking.ts';

/** What a preflight is made of: the object, the permission it takes, the write as a dry run, and the same act for automation. */
export interface Attempt {
  /** The App's id. */
  readonly app: string;
  readonly object: KubeObject;
  readonly may: () => Promise<MissingPermission | undefined>;
  readonly dryRun: () => Promise<Written>;
  /** Reads what else decides; the answer judges the object as it would be stored. */
  readonly look: () => Promise<(object: KubeObject) => Partial<Findings>>;
  /** See `Preflight.changes`; absent: none. */
  readonly changes?: readonly ValueChange[];
  readonly commands: Commands;
  /** What says which values are sensitive, and the live object that the answer may speak of as well. */
  readonly sensitive: { readonly marked: Marked; readonly live?: KubeObject };
}

/**
 * Finds out what would happen, and tells it without sensitive values. Each look at an object of thousands of values has a turn of the event loop for
 * itself; what was found in it is kept for the next one.
 */
export async function preflight(actor: Actor, attempt: Attempt): Promise<Preflight> {
  const { marked, live } = attempt.sensitive;
  const { object, result, warnings, faults, findings, ...found } = await tryAttempt(actor, attempt);
  const objects = [object, ...(live === undefined ? [] : [live]), ...(result === undefined ? [] : [result])];
  for (const one of objects) await afterYield(() => secretsOf(marked, one));
  const secrets = await afterYield(() => secretsOf(marked, ...objects));
  const shown = await afterYield(() => shownObject(marked, object));
  const stored = await afterYield(() => (result === undefined ? {} : { result: shownObject(marked, result) }));
  const texts = await afterYield(() => redactTexts({ warnings, faults, findings }, secrets));
  return { ...found, object: shown, ...stored, ...texts, commands: await afterYield(() => withBareStandIns(attempt.commands)) };
}

/**
 * Finds out what would happen without writing: the permission, the api-server's own dry run, which runs validation, quota and admission, and what stands
 * around it, all at once. Whatever the api-server rejects is an answer here, not an error; an unreachable cluster still throws.
 */
async function tryAttempt(actor: Actor, attempt: Attempt): Promise<Preflight> {
  const { app, object, commands, changes = [] } = attempt;
  const [missing, outcome, findingsOf] = await Promise.all([attempt.may(), attemptDryRun(attempt.dryRun), attempt.look()]);
  const shared = { object, commands, changes };
  if (missing === undefined && 'written' in outcome) {
    const { object: result, warnings } = outcome.written;
    const findings = joinFindings([findingsOf(result), { warned: warnings.map(warned) }]);
    const faults = findings.blocked.map(({ message, field }) => ({ message, ...(field === undefined ? {} : { field }) }));
    const verdict = faults.length === 0 ? 'Ready' : 'Blocked';
    return { ...shared, verdict, result, warnings, faults, missing: [], remedies: [], findings };
  }
  const why = whyRejected(missing, outcome);
  const remedies = why.missing.map((permission) => remedyFor({ user: actor.user, permission, apps: new Set([app]) }));
  const { warned: also, unchecked } = joinFindings([findingsOf(object)]);
  const findings = joinFindings([{ blocked: why.blocked, warned: also, unchecked }]);
  const grant = remedies.map(({ yaml }) => yaml).join('---\n');
  const { faults, missing: lacking } = why;
  const rejected = { ...shared, verdict: 'Blocked', warnings: [], faults, missing: lacking, remedies, findings } as const;
  return grant === '' ? rejected : { ...rejected, grant };
}

type Outcome = { readonly written: Written } | { readonly rejection: AppError };

const REJECTIONS = [
  'InvalidInput',
  'AdmissionDenied',
  'QuotaExceeded',
  'AlreadyExists',
  'Conflict',
  'Forbidden',
  'OperatorDeleting',
  'AppNotAllowed',
  'WebhookUnavailable',
] as const;

async function attemptDryRun(dryRun: Attempt['dryRun']): Promise<Outcome> {
  try {
    return { written: await dryRun() };
  } catch (error) {
    if (!isAppError(error, ...REJECTIONS)) throw error;
    return { rejection: error };
  }
}

interface Why {
  readonly missing: readonly MissingPermission[];
  readonly faults: readonly FieldFault[];
  readonly blocked: readonly Finding[];
}

/** What a permission does not help with. */
const BEYOND_PERMISSIONS = ['AppNotAllowed', 'OperatorDeleting'] as const;

/** A missing permission says it all where the api-server has answered, because its answer to the dry run is the same in its own words. */
function whyRejected(missing: MissingPermission | undefined, outcome: Outcome): Why {
  if (missing !== undefined) {
    const message = sentenceOf(missing);
    const permission = { message, subject: 'Permission', evidence: 'exact' } as const;
    const beyond =
      'rejection' in outcome && isAppError(outcome.rejection, ...BEYOND_PERMISSIONS) ? whyRejected(undefined, outcome) : undefined;
    return { missing: [missing], faults: [{ message }, ...(beyond?.faults ?? [])], blocked: [permission, ...(beyond?.blocked ?? [])] };
  }
  const rejection = 'rejection' in outcome ? outcome.rejection : new AppError('Internal', 'preflight: rejected without a reason');
  const faults = faultsOf(rejection);
  const blocked = faults.map(({ message, field }) => ({
    message: field === undefined || message.includes(field) ? message : `${field}: ${message}`,
    subject: subjectOf(rejection),
    evidence: 'exact' as const,
    ...(field === undefined ? {} : { field }),
  }));
  return { missing: rejection.missing === undefined ? [] : [rejection.missing], faults, blocked };
}

/** The faults of an error by field; the sentence of the error where it names none. */
function faultsOf(error: AppError): readonly FieldFault[] {
  if (error.faults.length > 0) return error.faults;
  if (error.code === 'AlreadyExists') return [{ field: 'metadata.name', message: error.message }];
  return [{ message: error.message }];
}

function subjectOf({ code, message }: AppError): FindingSubject {
  if (code === 'AdmissionDenied' && message.includes('PodSecurity')) return 'PodSecurity';
  return SUBJECTS[code] ?? 'Validation';
}

const SUBJECTS: Partial<Readonly<Record<ErrorCode, FindingSubject>>> = {
  Forbidden: 'Permission',
  QuotaExceeded: 'Quota',
  AdmissionDenied: 'Policy',
  AlreadyExists: 'Object',
  Conflict: 'Object',
  OperatorDeleting: 'Object',
  AppNotAllowed: 'Policy',
  WebhookUnavailable: 'Webhook',
};

function warned(message: string): Finding {
  return { message, subject: 'Policy', evidence: 'exact' };
}

function sentenceOf({ verb, resource, group, namespace }: MissingPermission): string {
  const [where, binding] = namespace === undefined ? ['', 'ClusterRoleBinding'] : [` in the namespace ${namespace}`, 'RoleBinding'];
  return `You may not ${verb} ${resource}.${group}${where}. An admin can grant it with the ${binding} below.`;
}
