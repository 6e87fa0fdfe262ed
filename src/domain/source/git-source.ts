import type { ChartCredentials } from '../chart/chart-access.ts';
import { object, optional, orEmpty, text, time, type ValueOf } from '../kind/field.ts';

const ref = object(
  {
    branch: optional(text({ description: 'The newest commit of a branch.', minLength: 1, maxLength: 255 })),
    tag: optional(text({ description: 'The commit of a tag.', minLength: 1, maxLength: 255 })),
    semver: optional(
      text({ description: 'The tag with the highest version in a range, for example >=1.2.0 <2.0.0.', minLength: 1, maxLength: 255 }),
    ),
    commit: optional(text({ description: 'One commit, by its whole SHA-1.', pattern: '^[0-9a-f]{40}$' })),
  },
  {
    description: 'The revision that is read. Default: the default branch of the repository.',
    rules: [
      {
        rule: '[has(self.branch), has(self.tag), has(self.semver), has(self.commit)].filter(set, set).size() <= 1',
        message: 'set one of branch, tag, semver and commit',
      },
      {
        rule: "[has(self.branch) ? self.branch : '', has(self.tag) ? self.tag : ''].all(name, name == '' || (name.matches('^[A-Za-z0-9_][-A-Za-z0-9_./+]*$') && !name.contains('..') && !name.endsWith('.lock') && !name.endsWith('/')))",
        message: 'must be the name of a branch or tag',
      },
    ],
  },
);

export const gitField = object(
  {
    url: text({
      description: 'The https address of the repository.',
      minLength: 1,
      maxLength: 2048,
      rules: [
        { rule: "isURL(self) && url(self).getScheme() == 'https'", message: 'must be an https address' },
        {
          rule: "!isURL(self) || (url(self).getHost() != '' && !self.matches('^[a-z]+://[^/]*@'))",
          message: 'an address must not hold a user or password; put them into a Secret and name it in secretRef',
        },
      ],
    }),
    ref: optional(ref),
    path: orEmpty(
      text({
        description: 'The folder in the repository. All .yaml and .yml files in it and below are read. Default: the whole repository.',
        maxLength: 1024,
        rules: [
          {
            rule: "self == '' || (!self.startsWith('/') && self.split('/').all(part, part != '' && part != '.' && part != '..' && part != '.git'))",
            message: 'must be a path inside the repository, for example clusters/production',
          },
        ],
      }),
    ),
    secretRef: optional(
      object(
        { name: text({ description: 'The name of the Secret.', minLength: 1, maxLength: 253 }) },
        {
          description:
            'A Secret in the namespace chandlery-system with the credentials of the repository. Its keys are username and password (a token is a password), or bearerToken; for TLS ca.crt.',
        },
      ),
    ),
  },
  { description: 'A git repository. It is read again after each interval. Exclusive with folder.' },
);

export const commitField = object(
  {
    author: text({ description: 'Name and email address of the author.' }),
    message: text({ description: 'The first 1,000 characters of the message.' }),
    time: time({ description: 'When it was made, by the clock of its author.' }),
    signedBy: optional(text({ description: 'The key or identity whose signature was verified; absent without a signature policy.' })),
  },
  { description: 'The commit of the revision that was read last; absent for a folder.' },
);

export type GitSource = ValueOf<typeof gitField>;

/** Who changed what, as the repository tells it. */
export type SourceCommit = ValueOf<typeof commitField>;

/** A repository, and who we are there. */
export interface GitRequest {
  /** Whose checkout it is: one folder a source is kept. */
  readonly source: string;
  readonly git: GitSource;
  readonly credentials?: Pick<ChartCredentials, 'login' | 'authorities'>;
}

/** A revision on the disk. */
export interface GitCheckout {
  /** The folder with the files of `path`. */
  readonly folder: string;
  /** `main@sha1:<commit>`, as Flux writes it. */
  readonly revision: string;
  /** Of that revision; absent where nobody committed it, as for an artifact. */
  readonly commit?: SourceCommit;
}
