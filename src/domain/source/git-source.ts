import type { GitCredentials, GitVerification } from './git-access.ts';
import { forgeField } from '../proposal/git-forge.ts';
import { object, optional, orEmpty, text, time, type ValueOf } from '../kind/field.ts';
import { secretRefField } from '../kind/secret-ref.ts';

/** As `parseGitAddress` reads them. Nothing begins with a dash, so that ssh takes nothing for an option. */
const SSH_PATTERN =
  '^(ssh://([A-Za-z0-9_][A-Za-z0-9_.+-]*@)?([A-Za-z0-9][A-Za-z0-9.-]*|[[][0-9A-Fa-f:.]+[]])(:[0-9]{1,5})?/[^ ]+|[A-Za-z0-9_][A-Za-z0-9_.+-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^-/: ][^: ]*)$';

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
      description: 'The address of the repository: by https, or by ssh as ssh://git@host/path or git@host:path.',
      minLength: 1,
      maxLength: 2048,
      rules: [
        {
          rule: `self.matches('${SSH_PATTERN}') || (isURL(self) && url(self).getScheme() == 'https')`,
          message:
            'must be an https or ssh address, for example https://git.example.com/team/repository.git or git@git.example.com:team/repository.git',
        },
        {
          rule: "!isURL(self) || url(self).getScheme() != 'https' || (url(self).getHost() != '' && !self.matches('^[a-z]+://[^/]*@'))",
          message: 'an https address must not hold a user or password; put them into a Secret and name it in secretRef',
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
      secretRefField(
        'A Secret in the namespace chandlery-system. Keys for https: username and password (a token is a password), or bearerToken; ca.crt. For ssh: identity (a private key), known_hosts, password of the key.',
      ),
    ),
    verify: optional(
      object(
        {
          secretRef: secretRefField(
            'A Secret in the namespace chandlery-system with the public keys that may sign. For ssh: allowed_signers, or keys that end in .pub. For OpenPGP: keys that end in .asc or .gpg.',
          ),
        },
        { description: 'A revision is applied only if its commit, or the annotated tag that names it, is signed by one of these keys.' },
      ),
    ),
    forge: optional(forgeField),
  },
  {
    description: 'A git repository. It is read again after each interval. Exclusive with folder and oci.',
    rules: [
      {
        rule: "self.url.startsWith('https:') || has(self.secretRef)",
        message: 'an ssh address needs secretRef, a Secret with the keys identity and known_hosts',
      },
    ],
  },
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

/** A repository, and the credentials for it. */
export interface GitRequest {
  /** Whose checkout it is: one folder a source is kept. */
  readonly source: string;
  readonly git: GitSource;
  readonly credentials?: GitCredentials;
  readonly verification?: GitVerification;
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
