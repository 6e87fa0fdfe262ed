/** Jobs of a CI that an Environment names. */
export interface CiProject {
  /** The path of the project, or `<group>/*` for all projects of a group and of its subgroups. */
  readonly name: string;
  readonly branch?: string;
  /** As the CI knows it. */
  readonly environment?: string;
}

/**
 * The group that the api-server knows such jobs by: `<prefix>ci:<project>`, narrowed to `…:branch:<branch>` or `…:environment:<environment>`. A job is in the
 * group of its project, of each group above it (`<prefix>ci:<group>/*`), of its branch and of its environment.
 *
 * @param prefix that of the groups of the issuer that signs the tokens of the jobs.
 */
export function ciGroup(prefix: string, { name, branch, environment }: CiProject): string {
  const part = branch === undefined ? '' : `:branch:${branch}`;
  return `${prefix}ci:${name}${part}${environment === undefined ? '' : `:environment:${environment}`}`;
}

/** The project of a CI job by its user name, `ci:<project>` or `<prefix>:ci:<project>`; undefined for everybody else. */
export function projectOfJob(user: string): string | undefined {
  return /^(?:[a-z][a-z0-9-]*:)?ci:(.+)$/.exec(user)?.[1];
}
