import { stringifyJson } from '../core/exact-json.ts';
import { quoted } from '../instance/instance-commands.ts';
import type { SourceSpec } from './catalog-source.ts';

export interface LabelledCommand {
  readonly label: string;
  readonly text: string;
}

interface Wanted {
  readonly name: string;
  /** As in the history of the source. */
  readonly revision: string;
}

/** The commit of a revision of a repository; undefined for a folder or artifact. */
export function commitOf(revision: string): string | undefined {
  return /@sha1:([0-9a-f]{40})$/.exec(revision)?.[1];
}

/** The digest of a revision of an artifact; undefined for a folder or repository. */
export function artifactDigestOf(revision: string): string | undefined {
  return /@(sha256:[0-9a-f]{64})$/.exec(revision)?.[1];
}

/** Commands that return a source to an earlier revision. */
export function rollbackCommands({ folder, git }: SourceSpec, { name, revision }: Wanted): readonly LabelledCommand[] {
  if (folder !== undefined) {
    const diff = `chandlery source diff ${name} --revision ${revision}`;
    return [
      { label: 'Restore the files', text: `${diff} | patch -p1 -d ${quoted(folder.path)}` },
      { label: 'Restore the files of a folder in git', text: `${diff} | git -C ${quoted(folder.path)} apply` },
    ];
  }
  if (git !== undefined) return gitCommands({ name, revision }, git.path);
  const digest = artifactDigestOf(revision);
  if (digest === undefined) return [];
  return [{ label: 'Pin the artifact', text: pinned(name, { oci: { ref: { tag: null, semver: null, digest } } }) }];
}

function gitCommands({ name, revision }: Wanted, path: string): readonly LabelledCommand[] {
  const commit = commitOf(revision);
  if (commit === undefined) return [];
  const place = path === '' ? '.' : quoted(path);
  const restore = `git restore --source=${commit} --staged --worktree -- ${place}`;
  return [
    { label: 'Restore the files in a clone of the repository', text: `${restore} && git commit -m 'Return to ${commit.slice(0, 12)}'` },
    { label: 'Or revert the commits since then', text: `git revert --no-edit ${commit}..HEAD` },
    {
      label: 'Or pin the commit until you resume the ref',
      text: pinned(name, { git: { ref: { branch: null, tag: null, semver: null, commit } } }),
    },
  ];
}

function pinned(name: string, spec: object): string {
  return `kubectl patch catalogsource ${name} --type merge --patch ${quoted(stringifyJson({ spec }))}`;
}
