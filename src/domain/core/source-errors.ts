/** The rows of the table of errors about CatalogSources. */
export const SOURCE_ERRORS = {
  GitUnavailable: {
    status: 502,
    title: 'The git repository cannot be read',
    meaning:
      'The repository of a CatalogSource does not answer, rejects the credentials, or has no such ref or folder. Nothing was deleted.',
    remedy:
      'Correct what the message names in `spec.git` or in its Secret. The source tries again after 15 seconds. See [catalogue sources](catalog-source.md#git).',
  },
  ArtifactUnavailable: {
    status: 502,
    title: 'The OCI artifact cannot be read',
    meaning:
      'The registry of a CatalogSource does not answer, rejects the credentials, or has no such tag, or what it has is no archive within the limits. Nothing was deleted.',
    remedy:
      'Correct what the message names in `spec.oci` or in its Secret. The source tries again after 15 seconds. See [catalogue sources](catalog-source.md#oci-artifacts).',
  },
  VerificationFailed: {
    status: 422,
    title: 'The signature of the source is missing or not trusted',
    meaning:
      'A revision of a CatalogSource is not signed, or by a key that is not in the Secret of its `verify`. Nothing of the revision was applied, and nothing was deleted.',
    remedy:
      'Find out who made the revision. Sign it, or add the public key to the Secret. See [signed revisions](catalog-source.md#signed-revisions).',
  },
  ForgeUnavailable: {
    status: 502,
    title: 'The git host rejected the proposal',
    meaning:
      'The forge of a CatalogSource does not answer, or rejects the credentials, the branch or the merge request. Nothing was written to the cluster.',
    remedy:
      'An admin corrects what the message names: `spec.git.forge`, or the token in its Secret, which must be allowed to push branches and to read and write merge requests. If the branch was pushed, propose again: each proposal has a branch of its own. See [proposals](git-proposals.md).',
  },
  ProposalImpossible: {
    status: 422,
    title: 'The change cannot be proposed',
    meaning:
      'The repository has no place for the change: no file has the document, a kustomization generates it, the source applies no such kind there, or a sensitive value would get into git.',
    remedy:
      'Do what the message says, choose another source, or change the file by hand. See [proposals](git-proposals.md#which-file-changes).',
  },
} as const;
