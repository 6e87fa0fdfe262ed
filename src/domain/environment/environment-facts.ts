import type { ValueOf } from '../kind/field.ts';
import { type Condition, findCondition } from '../kubernetes/condition.ts';
import type { ENVIRONMENT_KIND } from './environment-kind.ts';
import { allowedAppsSentence } from './allowed-apps.ts';
import { meshSentence } from './mesh.ts';
import { networkPolicySentence } from './network-policy.ts';

/** A line about an Environment, for whoever may see it. */
export interface EnvironmentFact {
  readonly label: string;
  /** RFC 3339 where `format` is `time`. */
  readonly value: string;
  readonly format: 'text' | 'time';
}

type Fields = ValueOf<(typeof ENVIRONMENT_KIND)['spec']>;
type Status = ValueOf<(typeof ENVIRONMENT_KIND)['status']>;

/** What there is to know about an Environment beside its members and its quota. Facts without a value are left out. */
export function environmentFacts(
  fields: Fields,
  { conditions, expiresAt = '' }: Status,
  { createdBy = '' }: { readonly createdBy?: string },
): EnvironmentFact[] {
  const { owner = '', contact = '', projects, serviceAccounts, networkPolicy, mesh, allowedApps } = fields;
  const facts: readonly (Omit<EnvironmentFact, 'format'> & Partial<EnvironmentFact>)[] = [
    { label: 'Owner', value: owner },
    { label: 'Contact', value: contact },
    { label: 'Created by', value: createdBy },
    { label: 'CI projects', value: projects.map(projectText).join(', ') },
    { label: 'Service accounts', value: serviceAccounts.map(({ name, role }) => `${name} (${role})`).join(', ') },
    { label: 'Network', value: networkPolicySentence(networkPolicy) },
    { label: 'Service mesh', value: mesh === undefined ? '' : `${meshSentence(mesh)}${notInstalled(conditions)}` },
    { label: 'Allowed apps', value: allowedApps === undefined ? '' : allowedAppsSentence(allowedApps) },
    { label: 'Expires', value: expiresAt, format: 'time' },
  ];
  return facts.filter(({ value }) => value !== '').map((fact) => ({ format: 'text', ...fact }));
}

function projectText({ name, role, branch, environment }: Fields['projects'][number]): string {
  const part = branch === undefined ? '' : `, branch ${branch}`;
  return `${name}${part}${environment === undefined ? '' : `, environment ${environment}`} (${role})`;
}

function notInstalled(conditions: readonly Condition[]): string {
  return findCondition(conditions, 'MeshReady')?.status === 'False' ? '; not installed in the cluster' : '';
}
