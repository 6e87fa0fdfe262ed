import { allowsName, type RegistrationGrant } from '../access-token/registration.ts';
import { AppError, type MissingPermission } from '../core/errors.ts';
import { OURS } from './names.ts';

export const TOKEN_SCOPES = ['read', 'write'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** An environment that a token is limited to, with the namespace that it had when the token was created: no environment changes its namespace. */
export interface LimitedEnvironment {
  readonly name: string;
  readonly namespace: string;
}

/** What a personal access token leaves of the permissions of its user. It never adds one. */
export interface AccessLimits {
  /** Names the token in lists and logs. */
  readonly id: string;
  readonly name: string;
  readonly scope: TokenScope;
  /** Absent: no limit. */
  readonly environments?: readonly LimitedEnvironment[];
  /** Of a registration token: it creates such Environments, and does nothing else. */
  readonly registration?: RegistrationGrant;
}

const READ_VERBS = ['get', 'list', 'watch'];
/** Questions about oneself, which are sent as objects and kept nowhere. */
const QUESTIONS = ['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'selfsubjectreviews'];

/**
 * Why the limits do not let a call to the api-server leave; undefined when they do. Outside of its environments, a limited token reaches nothing of the cluster,
 * whatever its user may: not even lists over all namespaces.
 */
export function limitReason(limits: AccessLimits, { verb, group, resource, namespace, name }: MissingPermission): string | undefined {
  if (QUESTIONS.includes(resource)) return undefined;
  if (limits.registration !== undefined) {
    const isRegistration = verb === 'create' && group === OURS.group && resource === 'environments';
    if (isRegistration && allowsName(limits.registration, name ?? '')) return undefined;
    return `${tokenWords(limits)} registers environments with the name ${limits.registration.names} alone`;
  }
  if (limits.scope === 'read' && !READ_VERBS.includes(verb)) return `${tokenWords(limits)} has the scope read`;
  const { environments } = limits;
  if (environments === undefined) return undefined;
  if (namespace !== undefined && environments.some((one) => one.namespace === namespace)) return undefined;
  const isOwn =
    (group === OURS.group && resource === 'environments' && environments.some((one) => one.name === name)) ||
    (group === '' && resource === 'namespaces' && environments.some((one) => one.namespace === name));
  if (verb === 'get' && isOwn) return undefined;
  return `${tokenWords(limits)} is limited to ${environments.map((one) => one.name).join(', ')}`;
}

/** The error of a call that the limits do not let leave. */
export function beyondLimits(what: string, reason: string, missing?: MissingPermission): AppError {
  return new AppError('Forbidden', `${what}: ${reason}`, missing === undefined ? {} : { missing });
}

/** As sentences name the token: `token "deploy"`. */
export function tokenWords({ name }: Pick<AccessLimits, 'name'>): string {
  return `token ${JSON.stringify(name)}`;
}
