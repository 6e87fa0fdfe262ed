import { stringify } from 'yaml';
import { EVERYBODY } from '../../domain/kubernetes/actor.ts';
import { AUTHENTICATION_API_VERSIONS, type ClaimMappings, type JwtAuthenticator } from './authentication-configuration.ts';
import { compileExpression } from './claim-expression.ts';
import { createClaimMapper } from './claim-mapper.ts';

/**
 * The `AuthenticationConfiguration` by which an api-server gives the tokens of these issuers the names and groups that impersonation by Chandlery gives them: with
 * the group of everybody, and without names of the cluster behind a prefix.
 */
export function renderAuthentication(authenticators: readonly JwtAuthenticator[]): string {
  return stringify(
    { apiVersion: AUTHENTICATION_API_VERSIONS[0], kind: 'AuthenticationConfiguration', jwt: authenticators.map(rendered) },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

function rendered(authenticator: JwtAuthenticator): object {
  const { issuer, claimValidationRules, claimMappings, userValidationRules } = authenticator;
  const { username, uid, extra } = claimMappings;
  const rules = [...userValidationRules, ...reservedNames(authenticator)];
  return {
    issuer: { ...issuer, ...(issuer.audiences.length > 1 ? { audienceMatchPolicy: 'MatchAny' } : {}) },
    ...(claimValidationRules.length === 0 ? {} : { claimValidationRules }),
    claimMappings: {
      username,
      groups: { expression: groupsExpression(claimMappings.groups) },
      ...(uid === undefined ? {} : { uid }),
      ...(extra.length === 0 ? {} : { extra }),
    },
    userValidationRules: rules.filter((rule, index) => rules.findIndex(({ expression }) => expression === rule.expression) === index),
  };
}

function groupsExpression(groups: ClaimMappings['groups']): string {
  const everybody = `[${text(EVERYBODY)}]`;
  if (groups === undefined) return everybody;
  if ('claim' in groups) {
    const given = `claims[?${text(groups.claim)}].orValue([])`;
    return `(type(${given}) == string ? [dyn(${given})] : dyn(${given})).map(group, ${text(groups.prefix)} + group) + ${everybody}`;
  }
  const { names } = compileExpression(groups.expression, 'claims');
  if (names?.prefixes.some((prefix) => prefix.whole && prefix.text === EVERYBODY) === true) return groups.expression;
  return names?.shape === 'text' ? `[${groups.expression}] + ${everybody}` : `(${groups.expression}) + ${everybody}`;
}

/** Chandlery rejects `oidc:system:admin`, so that nobody reads it as an account of the cluster. */
function reservedNames(authenticator: JwtAuthenticator): readonly { readonly expression: string; readonly message: string }[] {
  const { users, groups } = createClaimMapper(authenticator, 'issuer').prefixes;
  const begins = (name: string, prefix: string): string => `${name}.lowerAscii().startsWith(${text(`${prefix}system:`.toLowerCase())})`;
  return [
    ...users.map((prefix) => ({
      expression: `!${begins('user.username', prefix)}`,
      message: 'the user name is reserved for the cluster',
    })),
    ...groups.map((prefix) => ({
      expression: `!user.groups.exists(group, ${begins('group', prefix)})`,
      message: 'a group is reserved for the cluster',
    })),
  ];
}

/** A text of CEL; its escapes are those of JSON for what a claim or a prefix can hold. */
function text(value: string): string {
  return JSON.stringify(value);
}
