import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { InstanceView, Preflight } from '../../domain/instance/instance.ts';
import { findingsView, type FindingsView } from '../page/findings-view.ts';
import { instancePath } from '../page/paths.ts';
import { remediesOf, type Review } from './review.ts';

export interface DeletePage {
  readonly name: string;
  readonly appName: string;
  readonly environment: string;
  readonly backHref: string;
  readonly action: string;
  /** Whether nothing stands against it. */
  readonly ready: boolean;
  /** What goes, what stays, and what stands against it. */
  readonly findings: FindingsView;
  readonly remedies: Review['remedies'];
  /** In production the name must be typed, so that a slip of the hand deletes nothing. */
  readonly typeName: boolean;
  readonly fault?: string;
  readonly faults: readonly { readonly message: string; readonly href: string }[];
  readonly warning: string;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

export function deletePage(
  { instance, preflight }: { readonly instance: InstanceView; readonly preflight: Preflight },
  environment: EnvironmentView,
  fault?: string,
): DeletePage {
  const { verdict, findings, commands } = preflight;
  return {
    name: instance.name,
    appName: instance.appName,
    environment: environment.displayName === '' ? environment.name : environment.displayName,
    backHref: instancePath(instance),
    action: `${instancePath(instance)}/delete`,
    ready: verdict === 'Ready',
    findings: findingsView(findings),
    remedies: remediesOf(preflight),
    typeName: needsName(environment),
    ...(fault === undefined ? {} : { fault }),
    faults: fault === undefined ? [] : [{ message: fault, href: '#name' }],
    warning: findings.removed.some(({ subject }) => subject === 'Data')
      ? 'The data in its volumes will be lost. Back it up first if you need it.'
      : 'Its data will be lost. Back it up first if you need it.',
    commands: [
      { label: 'With kubectl', text: commands.kubectl },
      { label: 'With curl', text: commands.curl },
    ],
  };
}

export function needsName(environment: Pick<EnvironmentView, 'tier'>): boolean {
  return environment.tier === 'production';
}
