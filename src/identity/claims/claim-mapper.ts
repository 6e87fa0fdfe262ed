import { AppError, messageOf } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';
import { EVERYBODY } from '../../domain/kubernetes/actor.ts';
import type { ClaimValidationRule, JwtAuthenticator, NameMapping, ValidationExpression } from './authentication-configuration.ts';
import { celErrorText, type ClaimExpression, compileExpression, type ExpressionInput, type NamePrefix } from './claim-expression.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** What the claims of a token say, with prefixes, as in the `user` of an AuthenticationConfiguration. */
export interface MappedUser {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** The user name without its prefix. */
  readonly plainName: string;
}

/** Makes users of the claims of one issuer. */
export interface ClaimMapper {
  /** What the names of its users and groups begin with. */
  readonly prefixes: { readonly users: readonly string[]; readonly groups: readonly string[] };
  /** @throws AppError `Unauthenticated` when the claims break a rule, name nobody, or name somebody of the cluster's own. */
  map(claims: Claims): MappedUser;
}

const MAX_GROUPS = 500;
const MAX_NAME_LENGTH = 256;
/** Of any list in claims that expressions see. */
const MAX_LIST_LENGTH = 500;

/**
 * Compiles the rules of an issuer. Prefixes are mandatory: of an expression, the source must show what its names begin with.
 *
 * @param where what the messages begin with: `authentication configuration: FILE: jwt[0]`.
 * @throws AppError `ConfigInvalid` that names the field.
 */
export function createClaimMapper(authenticator: JwtAuthenticator, where: string): ClaimMapper {
  const { claimMappings, claimValidationRules, userValidationRules } = authenticator;
  const compile = compilerAt(where);
  const username = nameReader(claimMappings.username, { where: `${where}.claimMappings.username`, shapes: ['text'], compile });
  const groups =
    claimMappings.groups === undefined
      ? undefined
      : nameReader(claimMappings.groups, { where: `${where}.claimMappings.groups`, shapes: ['text', 'list'], compile });
  const uid = uidReader(claimMappings.uid, compile);
  const extra = claimMappings.extra.map(({ key, valueExpression }, index) => ({
    key,
    expression: compile(valueExpression, 'claims', `claimMappings.extra[${index}].valueExpression`),
  }));
  const claimRules = claimValidationRules.map((rule, index) => claimRule(rule, `claimValidationRules[${index}]`, compile));
  const isCel =
    claimRules.length + extra.length > 0 || [claimMappings.username, claimMappings.groups, claimMappings.uid].some(isExpression);
  const userRules = userValidationRules.map((rule, index) => booleanRule(rule, 'user', `userValidationRules[${index}]`, compile));
  checkEmailIsVerified(
    [username.expression, ...claimRules.map(({ expression }) => expression), ...extra.map((one) => one.expression)],
    where,
  );
  return {
    prefixes: { users: prefixesOf(username), groups: groups === undefined ? [] : prefixesOf(groups) },
    map: (claims) => {
      const input = isCel ? celValue(claims) : undefined;
      for (const { check } of claimRules) check(input, claims);
      const { name, plain } = userOf(username, claims, input);
      const user = {
        username: name,
        groups: groups === undefined ? [] : groupsOf(groups, claims, input),
        uid: uid(claims, input),
        extra: Object.fromEntries(extra.flatMap(({ key, expression }) => extraOf(key, expression, input))),
      };
      for (const { check } of userRules) check(user, claims);
      return { ...user, plainName: plain };
    },
  };
}

/**
 * A prefix that keeps names of an issuer apart from all others.
 *
 * @throws AppError `ConfigInvalid` when it is empty, or is the cluster's or ours.
 */
function parsePrefix(text: string, setting: string): string {
  if (text === '') throw new AppError('ConfigInvalid', `${setting}: it is empty; names of the issuer need a prefix, such as "oidc:"`);
  if (!/^[!-~]{1,64}$/.test(text)) {
    throw new AppError('ConfigInvalid', `${setting}: ${JSON.stringify(text)} must be 1 to 64 printable ASCII characters without spaces`);
  }
  const reserved = ['system:', 'chandlery:'].find((name) => text.startsWith(name) || name.startsWith(text));
  if (reserved === undefined) return text;
  throw new AppError(
    'ConfigInvalid',
    `${setting}: ${JSON.stringify(text)} could make names that begin with "${reserved}", which are reserved`,
  );
}

/**
 * Checks that no issuer can make a name of another one.
 *
 * @throws AppError `ConfigInvalid` that names both.
 */
export function checkSeparatePrefixes(issuers: readonly { readonly url: string; readonly mapping: ClaimMapper }[]): void {
  for (const [index, one] of issuers.entries()) {
    for (const other of issuers.slice(index + 1)) {
      for (const kind of ['users', 'groups'] as const) {
        const shared = one.mapping.prefixes[kind].find((a) => other.mapping.prefixes[kind].some((b) => a.startsWith(b) || b.startsWith(a)));
        if (shared === undefined) continue;
        throw new AppError(
          'ConfigInvalid',
          `issuers: ${one.url} and ${other.url} could both make ${kind} that begin with ${JSON.stringify(shared)}: give each issuer a prefix of its own`,
        );
      }
    }
  }
}

function isExpression(mapping: object | undefined): boolean {
  return mapping !== undefined && 'expression' in mapping;
}

type Compile = (source: string, input: ExpressionInput, field: string) => ClaimExpression;

function compilerAt(where: string): Compile {
  return (source, input, field) => {
    try {
      return compileExpression(source, input);
    } catch (cause) {
      throw new AppError('ConfigInvalid', `${where}.${field}: ${messageOf(cause)}`, { cause });
    }
  };
}

/** How names are read, and what they begin with. */
interface NameReader {
  readonly claim?: string;
  readonly expression?: ClaimExpression;
  readonly prefixes: readonly NamePrefix[];
}

interface NameReaderInput {
  readonly where: string;
  readonly shapes: readonly ('text' | 'list')[];
  readonly compile: Compile;
}

function nameReader(mapping: NameMapping, { where, shapes, compile }: NameReaderInput): NameReader {
  if ('claim' in mapping) {
    const text = parsePrefix(mapping.prefix, `${where}.prefix`);
    return { claim: mapping.claim, prefixes: [{ text, whole: false }] };
  }
  const field = where.slice(where.lastIndexOf('claimMappings'));
  const expression = compile(mapping.expression, 'claims', `${field}.expression`);
  const { names } = expression;
  const bad = (why: string): AppError => new AppError('ConfigInvalid', `${where}.expression: ${why}`);
  if (names === undefined || names.prefixes.length === 0) {
    throw bad(`each name must begin with a prefix in the expression itself, such as 'oidc:' + claims.sub, or groups.map(g, 'oidc:' + g)`);
  }
  if (!shapes.includes(names.shape)) throw bad('it must yield one name, not a list');
  // The group of everybody is ours to give, and everybody has it, so an expression for the api-server may name it.
  const own = names.prefixes.filter(({ text, whole }) => !(whole && text === EVERYBODY));
  for (const { text } of own) parsePrefix(text, `${where}.expression`);
  return { expression, prefixes: names.prefixes };
}

function prefixesOf({ prefixes }: NameReader): string[] {
  return [...new Set(prefixes.map(({ text }) => text).filter((text) => text !== EVERYBODY))];
}

/** As the api-server demands it: an address that nobody verified could be anybody's. */
function checkEmailIsVerified(expressions: readonly (ClaimExpression | undefined)[], where: string): void {
  if (expressions[0]?.reads.has('claims.email') !== true) return;
  if (expressions.some((expression) => expression?.reads.has('claims.email_verified') === true)) return;
  const advice = 'an expression must also read claims.email_verified, for example a claimValidationRule "claims.email_verified == true"';
  throw new AppError('ConfigInvalid', `${where}.claimMappings.username.expression: it reads claims.email: ${advice}`);
}

interface CompiledRule {
  readonly expression?: ClaimExpression;
  readonly check: (input: unknown, claims: Claims) => void;
}

function claimRule(rule: ClaimValidationRule, field: string, compile: Compile): CompiledRule {
  if (!('claim' in rule)) return booleanRule(rule, 'claims', field, compile);
  return {
    check: (_input, claims) => {
      if (claims[rule.claim] === rule.requiredValue) return;
      throw rejected(`the claim ${JSON.stringify(rule.claim)} is not ${JSON.stringify(rule.requiredValue)}`);
    },
  };
}

function booleanRule(
  { expression: source, message }: ValidationExpression,
  input: ExpressionInput,
  field: string,
  compile: Compile,
): CompiledRule {
  const expression = compile(source, input, `${field}.expression`);
  const check = (value: unknown): void => {
    if (evaluated(expression, value, field) !== true) throw rejected(message ?? `the rule ${JSON.stringify(source)} does not hold`);
  };
  return { expression, check };
}

function uidReader(mapping: JwtAuthenticator['claimMappings']['uid'], compile: Compile): (claims: Claims, input: unknown) => string {
  if (mapping === undefined) return () => '';
  if ('claim' in mapping) return (claims) => textOf(claims[mapping.claim], `the claim ${JSON.stringify(mapping.claim)}`);
  const expression = compile(mapping.expression, 'claims', 'claimMappings.uid.expression');
  return (_claims, input) => textOf(evaluated(expression, input, 'claimMappings.uid'), 'claimMappings.uid');
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw rejected(`${what} is not a text`);
  return value;
}

function extraOf(key: string, expression: ClaimExpression, input: unknown): [string, readonly string[]][] {
  const value = evaluated(expression, input, `claimMappings.extra ${key}`);
  const values = (Array.isArray(value) ? value : [value]).filter((one) => one !== null && one !== '');
  return values.length === 0 ? [] : [[key, values.map((one) => textOf(one, key))]];
}

function userOf(reader: NameReader, claims: Claims, input: unknown): { readonly name: string; readonly plain: string } {
  const { claim, expression, prefixes } = reader;
  const given = expression === undefined ? claims[claim ?? ''] : evaluated(expression, input, 'claimMappings.username');
  const what = claim === undefined ? 'the expression of the user name' : `the claim ${JSON.stringify(claim)}`;
  if (typeof given !== 'string' || given.trim() === '') throw rejected(`${what} names nobody`);
  if (claim === 'email' && claims['email_verified'] !== true) throw rejected('the identity provider has not verified the e-mail address');
  const { prefix, plain } = split(given, reader);
  if (plain.trim() === '' && !prefixes.some(({ text, whole }) => whole && text === given)) throw rejected(`${what} names nobody`);
  if (isReserved(plain)) throw rejected(`the user name ${JSON.stringify(plain)} is reserved for the cluster`);
  if (!isSendable(plain)) throw rejected(`the user name must be printable ASCII of at most ${MAX_NAME_LENGTH} characters`);
  if (plain !== plain.trim()) throw rejected(`the user name ${JSON.stringify(plain)} begins or ends with a space`);
  return { name: `${prefix}${plain}`, plain };
}

/** Groups that no header can carry unchanged are left out, which can only take permissions away. */
function groupsOf(reader: NameReader, claims: Claims, input: unknown): string[] {
  const { claim, expression } = reader;
  const given = (expression === undefined ? claims[claim ?? ''] : evaluated(expression, input, 'claimMappings.groups')) ?? [];
  const groups: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (groups.length > MAX_GROUPS) throw rejected(`${groups.length} groups are more than the ${MAX_GROUPS} that we accept`);
  const names = groups.filter((group) => typeof group === 'string');
  const what = claim === undefined ? 'what the expression of the groups yields' : `the claim ${JSON.stringify(claim)}`;
  if (names.length < groups.length) throw rejected(`${what} is not a list of names`);
  return names.flatMap((name) => {
    if (name === '' || (expression !== undefined && name === EVERYBODY)) return [];
    const { prefix, plain, whole } = split(name, reader);
    if (isReserved(plain)) throw rejected(`the group ${JSON.stringify(plain)} is reserved for the cluster`);
    return whole || (isSendable(plain) && plain === plain.trim()) ? [`${prefix}${plain}`] : [];
  });
}

/** The prefix of a name and the rest. A claim gives the rest alone; of an expression, the longest prefix in its source counts. */
function split(
  name: string,
  { claim, prefixes }: NameReader,
): { readonly prefix: string; readonly plain: string; readonly whole: boolean } {
  if (claim !== undefined) return { prefix: prefixes[0]?.text ?? '', plain: name, whole: false };
  const [found] = prefixes.filter(({ text }) => name.startsWith(text)).sort((a, b) => b.text.length - a.text.length);
  if (found === undefined) throw rejected(`the name ${JSON.stringify(name)} has none of the prefixes of its issuer`);
  return { prefix: found.text, plain: name.slice(found.text.length), whole: found.whole && name === found.text };
}

function evaluated(expression: ClaimExpression, input: unknown, field: string): unknown {
  try {
    return expression.evaluate(input);
  } catch (cause) {
    throw rejected(`${field}: the CEL expression cannot be evaluated (${celErrorText(cause)})`);
  }
}

/** Claims as CEL sees them: whole numbers are integers. Bounded, because expressions go through lists in lists. */
function celValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) {
    if (value.length > MAX_LIST_LENGTH)
      throw rejected(`a list of ${value.length} items is longer than the ${MAX_LIST_LENGTH} that we accept`);
    return value.map(celValue);
  }
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celValue(member)])) : value;
}

function isReserved(name: string): boolean {
  return name.trim().toLowerCase().startsWith('system:');
}

function isSendable(name: string): boolean {
  return name.length > 0 && name.length <= MAX_NAME_LENGTH && /^[\x20-\x7e]+$/.test(name);
}

function rejected(why: string): AppError {
  return new AppError('Unauthenticated', `sign-in: ${why}: ask the administrator of the identity provider`);
}
