import type { CiIssuerSetting } from '../../domain/identity/ci-issuer-setting.ts';
import type { JwtAuthenticator, ValidationExpression } from './authentication-configuration.ts';

/** Where a preset finds what in the claims, as expressions of CEL; an empty text stands for none. */
interface CiClaims {
  readonly project: string;
  readonly branch: string;
  readonly tag: string;
  readonly uid?: string;
}

const GENERIC_PROJECT = 'claims.?project_path.orValue(claims.?repository.orValue(claims.?project.orValue(claims.sub)))';
const NAMED_REF = 'claims.?ref.orValue("")';

const CLAIMS: Readonly<Record<CiIssuerSetting['preset'], CiClaims>> = {
  // https://docs.gitlab.com/ci/secrets/id_token_authentication/#token-payload
  gitlab: {
    project: 'claims.project_path',
    branch: '(claims.?ref_type.orValue("") == "branch" ? claims.ref : "")',
    tag: '(claims.?ref_type.orValue("") == "tag" ? claims.ref : "")',
    uid: 'claims.project_id',
  },
  // https://docs.github.com/actions/reference/security/oidc
  github: { project: 'claims.repository', branch: refBelow('heads'), tag: refBelow('tags'), uid: 'claims.repository_id' },
  generic: { project: GENERIC_PROJECT, branch: refBelow('heads'), tag: refBelow('tags') },
};

function refBelow(kind: 'heads' | 'tags'): string {
  const folder = `refs/${kind}/`;
  return `(${NAMED_REF}.startsWith("${folder}") ? ${NAMED_REF}.substring(${folder.length}) : "")`;
}

/**
 * Names of jobs are joined with `:`, and `*` stands for the projects of a group: a claim with either would make the name of other jobs, such as a project
 * `a:branch:main`. An absent claim makes no name, and the mapping reports it.
 */
function unambiguous(what: string, claim: string): ValidationExpression {
  return {
    expression: `!string(${claim}).matches("[:*]")`,
    message: `the ${what} of the CI job contains ":" or "*", so its name would be ambiguous`,
  };
}

/** As deep as groups of GitLab can be nested, and the project. */
const MAX_DEPTH = 21;

/**
 * The entry of an AuthenticationConfiguration for the ID tokens of CI jobs: user `ci:<project>`, and the groups of `ciGroup` in src/domain/environment. People can
 * copy it into a file of their own.
 */
export function ciAuthenticator({ preset, prefix, url }: CiIssuerSetting, audiences: readonly string[]): JwtAuthenticator {
  const { project, branch, tag, uid } = CLAIMS[preset];
  const begin = prefix === '' ? '"ci:"' : `"${prefix}:ci:"`;
  const environment = 'claims.?environment.orValue("")';
  const claimed = project.replace(/^claims\.(\w+)$/, 'claims.?$1.orValue("")');
  const groups = [
    `[${begin} + ${project}]`,
    ancestors(begin, `string(${project})`),
    `(${branch} != "" ? [${begin} + ${project} + ":branch:" + ${branch}] : [])`,
    `(${tag} != "" ? [${begin} + ${project} + ":tag:" + ${tag}] : [])`,
    `(claims.?ref_protected.orValue("") == "true" ? [${begin} + ${project} + ":protected"] : [])`,
    `(${environment} != "" ? [${begin} + ${project} + ":environment:" + ${environment}] : [])`,
  ];
  return {
    issuer: { url, audiences },
    claimValidationRules: [unambiguous('project', claimed), unambiguous('ref', NAMED_REF), unambiguous('environment', environment)],
    claimMappings: {
      username: { expression: `${begin} + ${project}` },
      groups: { expression: groups.join(' + ') },
      ...(uid === undefined ? {} : { uid: { expression: uid } }),
      extra: [],
    },
    userValidationRules: [],
  };
}

/** `ci:a/*` and `ci:a/b/*` for the project a/b/c: of each depth, what is left without the rest of the path. */
function ancestors(begin: string, project: string): string {
  const depths = Array.from({ length: MAX_DEPTH - 1 }, (_, index) => index + 2).join(', ');
  const group = `${project}.substring(0, size(${project}) - size(${project}.split("/", n)[n - 1]) - 1)`;
  return `[${depths}].filter(n, size(${project}.split("/")) >= n).map(n, ${begin} + ${group} + "/*")`;
}
