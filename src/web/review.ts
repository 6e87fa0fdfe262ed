import type { Preflight } from '../domain/instance.ts';
import { missingSentence } from './message-page.ts';

/** A view of `parts/review`: what would happen, and the same for automation. */
export interface Review {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  /** Absent unless a right is missing. */
  readonly grant?: string;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
  /** What the form held, so that nothing is lost on the way back. */
  readonly kept: readonly { readonly name: string; readonly value: string }[];
}

export function reviewOf(preflight: Preflight, body: URLSearchParams): Review {
  const { verdict, warnings, missing, faults, grant, commands } = preflight;
  const reasons = missing.length > 0 ? missing.map(missingSentence) : faults.map((fault) => fault.message);
  return {
    ready: verdict === 'Ready',
    reasons,
    warnings,
    ...(grant === undefined ? {} : { grant }),
    commands: [
      { label: 'The resource, exactly as it will be sent', text: commands.yaml },
      { label: 'The same with kubectl', text: commands.kubectl },
      { label: 'The same with curl', text: commands.curl },
    ],
    kept: [...body].filter(([name]) => !name.startsWith('_')).map(([name, value]) => ({ name, value })),
  };
}
