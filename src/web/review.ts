import type { Preflight } from '../domain/instance.ts';
import type { Finding } from '../domain/preflight/findings.ts';
import { findingsView, type FindingsView } from './findings-view.ts';
import { missingSentence } from './message-page.ts';
import type { ValueChangesView } from './value-changes-view.ts';

/** A view of `parts/review`: what would happen, and the same for automation. */
export interface Review {
  readonly ready: boolean;
  readonly findings: FindingsView;
  /** What would grant the missing rights. */
  readonly remedies: readonly { readonly role: string; readonly yaml: string; readonly kubectl: string }[];
  readonly changes: ValueChangesView;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
  /** A view of `parts/ask` but its verb. */
  readonly ask: { readonly lacking: boolean; readonly message: string };
  /** What the form held, so that nothing is lost on the way back. */
  readonly kept: readonly { readonly name: string; readonly value: string }[];
}

/** @param changes what differs, field by field; the sentences about it are left out then. */
export function reviewOf(preflight: Preflight, body: URLSearchParams, changes: ValueChangesView): Review {
  const { verdict, missing, findings, commands } = preflight;
  const lacking = missing.map((right): Finding => ({ message: missingSentence(right), about: 'Right', evidence: 'exact' }));
  const blocked = lacking.length > 0 ? lacking : findings.blocked;
  return {
    ready: verdict === 'Ready',
    findings: findingsView({ ...findings, changed: [], blocked }),
    remedies: remediesOf(preflight),
    changes,
    commands: [
      { label: 'The resource, exactly as it will be sent', text: commands.yaml },
      { label: 'The same with kubectl', text: commands.kubectl },
      { label: 'The same with curl', text: commands.curl },
    ],
    ask: { lacking: missing.length > 0, message: body.get('_message') ?? '' },
    kept: [...body].filter(([name]) => !name.startsWith('_')).map(([name, value]) => ({ name, value })),
  };
}

/** The grants of a preflight, as pages show them. */
export function remediesOf({ remedies }: Pick<Preflight, 'remedies'>): Review['remedies'] {
  return remedies.map(({ role, yaml, kubectl }) => ({ role, yaml, kubectl }));
}

/**
 * Whether somebody should look before they write: the cluster would take it, and yet pods or volumes would not come up. The form of a review says
 * that they have looked.
 */
export function wantsReview({ findings }: Pick<Preflight, 'findings'>, body: URLSearchParams): boolean {
  const stands = findings.warned.some(({ about }) => about === 'Quota' || about === 'LimitRange' || about === 'Class');
  return stands && body.get('_reviewed') !== '1';
}
