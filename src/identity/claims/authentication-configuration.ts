import { parse } from 'yaml';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';

/*
 * The format of the api-server: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#using-authentication-configuration.
 * Field names are those of the file.
 */

export const AUTHENTICATION_API_VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1'] as const;

/** An issuer and what its tokens mean. */
export interface JwtAuthenticator {
  readonly issuer: JwtIssuer;
  readonly claimValidationRules: readonly ClaimValidationRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules: readonly ValidationExpression[];
}

export interface JwtIssuer {
  /** To the letter as in the claim `iss`. */
  readonly url: string;
  /** The address of the discovery document, where it is another than the issuer's. */
  readonly discoveryURL?: string;
  /** PEM. The issuer is trusted by these alone. */
  readonly certificateAuthority?: string;
  /** One of them suffices. */
  readonly audiences: readonly string[];
}

export type ClaimValidationRule = { readonly claim: string; readonly requiredValue: string } | ValidationExpression;

export interface ValidationExpression {
  readonly expression: string;
  readonly message?: string;
}

export interface ClaimMappings {
  readonly username: NameMapping;
  readonly groups?: NameMapping;
  readonly uid?: { readonly claim: string } | { readonly expression: string };
  readonly extra: readonly { readonly key: string; readonly valueExpression: string }[];
}

export type NameMapping = { readonly claim: string; readonly prefix: string } | { readonly expression: string };

const MAX_ISSUERS = 64;

/**
 * Reads an `AuthenticationConfiguration`. Fields that are unknown here are errors, as in the api-server: a misspelled rule would protect nothing.
 *
 * @param source the name of the file, for messages.
 * @throws AppError `ConfigInvalid` that names the field.
 */
export function parseAuthenticationConfiguration(text: string, source: string): readonly JwtAuthenticator[] {
  const root = new Field(parsedYaml(text, source), '', source);
  root.only(['apiVersion', 'kind', 'jwt', 'anonymous', 'metadata']);
  const [version, kind] = [root.field('apiVersion').text(), root.field('kind').text()];
  if (!AUTHENTICATION_API_VERSIONS.some((one) => one === version)) {
    throw root.field('apiVersion').bad(`${JSON.stringify(version)} is not one of ${AUTHENTICATION_API_VERSIONS.join(', ')}`);
  }
  if (kind !== 'AuthenticationConfiguration') throw root.field('kind').bad('it must be AuthenticationConfiguration');
  const issuers = root.field('jwt').items().map(parseAuthenticator);
  if (issuers.length > MAX_ISSUERS) throw root.field('jwt').bad(`at most ${MAX_ISSUERS} issuers are accepted`);
  for (const [index, { issuer }] of issuers.entries()) {
    if (issuers.findIndex((other) => other.issuer.url === issuer.url) === index) continue;
    throw root.field('jwt').bad(`the issuer ${JSON.stringify(issuer.url)} is there twice`);
  }
  return issuers;
}

function parsedYaml(text: string, source: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0, uniqueKeys: false });
  } catch (cause) {
    throw new AppError('ConfigInvalid', `authentication configuration: ${source}: it is not YAML: ${firstLine(cause)}`, { cause });
  }
}

function firstLine(error: unknown): string {
  return (messageOf(error).split('\n')[0] ?? '').replace(/:$/, '');
}

function parseAuthenticator(field: Field): JwtAuthenticator {
  field.only(['issuer', 'claimValidationRules', 'claimMappings', 'userValidationRules']);
  return {
    issuer: parseIssuer(field.field('issuer')),
    claimValidationRules: field.field('claimValidationRules').items().map(parseClaimRule),
    claimMappings: parseMappings(field.field('claimMappings')),
    userValidationRules: field.field('userValidationRules').items().map(parseUserRule),
  };
}

function parseIssuer(field: Field): JwtIssuer {
  field.only(['url', 'discoveryURL', 'certificateAuthority', 'audiences', 'audienceMatchPolicy', 'egressSelectorType']);
  const [url, discoveryURL] = [field.field('url').address(), field.field('discoveryURL').present()?.address()];
  if (discoveryURL === url) throw field.field('discoveryURL').bad('it is the URL of the issuer; leave it out');
  const certificateAuthority = field.field('certificateAuthority').present()?.text();
  if (certificateAuthority !== undefined && !certificateAuthority.includes('-----BEGIN CERTIFICATE-----')) {
    throw field.field('certificateAuthority').bad('it has no certificate in PEM');
  }
  const audiences = field.field('audiences');
  const names = audiences.items().map((item) => item.text());
  if (names.length === 0) throw audiences.bad('name at least one audience, or tokens for anything else would count');
  const policy = field.field('audienceMatchPolicy').present()?.text() ?? '';
  if (policy !== 'MatchAny' && (policy !== '' || names.length > 1)) {
    throw field.field('audienceMatchPolicy').bad('it must be MatchAny where there are several audiences');
  }
  return {
    url,
    audiences: names,
    ...(discoveryURL === undefined ? {} : { discoveryURL }),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  };
}

function parseClaimRule(field: Field): ClaimValidationRule {
  field.only(['claim', 'requiredValue', 'expression', 'message']);
  if (field.field('claim').present() === undefined) return parseExpressionRule(field);
  field.field('expression').absent('beside claim');
  field.field('message').absent('beside claim');
  return { claim: field.field('claim').text(), requiredValue: field.field('requiredValue').present()?.anyText() ?? '' };
}

function parseUserRule(field: Field): ValidationExpression {
  field.only(['expression', 'message']);
  return parseExpressionRule(field);
}

function parseExpressionRule(field: Field): ValidationExpression {
  const message = field.field('message').present()?.text();
  return { expression: field.field('expression').text(), ...(message === undefined ? {} : { message }) };
}

function parseMappings(field: Field): ClaimMappings {
  field.only(['username', 'groups', 'uid', 'extra']);
  const [groups, uid] = [field.field('groups').present(), field.field('uid').present()];
  return {
    username: parseNames(field.field('username')),
    ...(groups === undefined ? {} : { groups: parseNames(groups) }),
    ...(uid === undefined ? {} : { uid: parseUid(uid) }),
    extra: field.field('extra').items().map(parseExtra),
  };
}

function parseNames(field: Field): NameMapping {
  field.only(['claim', 'prefix', 'expression']);
  const expression = field.field('expression').present();
  if (expression === undefined) return { claim: field.field('claim').text(), prefix: field.field('prefix').anyText() };
  for (const other of ['claim', 'prefix']) field.field(other).absent('beside expression');
  return { expression: expression.text() };
}

function parseUid(field: Field): NonNullable<ClaimMappings['uid']> {
  field.only(['claim', 'expression']);
  const expression = field.field('expression').present();
  if (expression === undefined) return { claim: field.field('claim').text() };
  field.field('claim').absent('beside expression');
  return { expression: expression.text() };
}

function parseExtra(field: Field): ClaimMappings['extra'][number] {
  field.only(['key', 'valueExpression']);
  const key = field.field('key').text();
  if (!/^[a-z0-9][a-z0-9.-]*\/[a-z0-9._~!$&'()*+,;=:@%/-]+$/.test(key) || /(^|\.)k(8s|ubernetes)\.io\//.test(key)) {
    throw field.field('key').bad('it must be a path below a domain of yours in lower case, for example example.com/tenant');
  }
  return { key, valueExpression: field.field('valueExpression').text() };
}

/** A value in the file that knows where it is. */
class Field {
  readonly #value: unknown;
  readonly #path: string;
  readonly #source: string;

  constructor(value: unknown, path: string, source: string) {
    this.#value = value;
    this.#path = path;
    this.#source = source;
  }

  /** The member of that name, whether or not it is there. */
  field(name: string): Field {
    const path = this.#path === '' ? name : `${this.#path}.${name}`;
    const value = isObject(this.#value) && Object.hasOwn(this.#value, name) ? this.#value[name] : undefined;
    return new Field(value, path, this.#source);
  }

  present(): Field | undefined {
    return this.#value === undefined || this.#value === null ? undefined : this;
  }

  absent(where: string): void {
    if (this.present() !== undefined) throw this.bad(`it cannot stand ${where}`);
  }

  /** @throws AppError `ConfigInvalid` unless it is an object with no other members. */
  only(names: readonly string[]): void {
    if (!isObject(this.#value)) throw this.bad(this.#value === undefined ? 'it is missing' : 'it must be an object');
    const other = Object.keys(this.#value).find((name) => !names.includes(name));
    if (other !== undefined) throw this.field(other).bad(`it is not a field; known are ${names.join(', ')}`);
  }

  items(): readonly Field[] {
    if (this.present() === undefined) return [];
    if (!Array.isArray(this.#value)) throw this.bad('it must be a list');
    return this.#value.map((item: unknown, index) => new Field(item, `${this.#path}[${index}]`, this.#source));
  }

  text(): string {
    const text = this.anyText();
    if (text.trim() === '') throw this.bad('it is empty');
    return text;
  }

  anyText(): string {
    if (typeof this.#value === 'string') return this.#value;
    throw this.bad(this.present() === undefined ? 'it is missing' : 'it must be a text');
  }

  /** The api-server takes https alone; http is for an issuer on this machine. */
  address(): string {
    const text = this.text();
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
    if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) {
      if (url.username === '' && url.password === '' && url.hash === '') return text;
    }
    throw this.bad(`${JSON.stringify(text)} is not an https address`);
  }

  bad(why: string): AppError {
    const place = this.#path === '' ? '' : `${this.#path}: `;
    return new AppError('ConfigInvalid', `authentication configuration: ${this.#source}: ${place}${why}`);
  }
}
