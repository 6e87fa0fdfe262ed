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
  VerificationFailed: {
    status: 422,
    title: 'The signature of the source is missing or not trusted',
    meaning:
      'A revision of a CatalogSource is not signed, or by a key that is not in the Secret of its `verify`. Nothing of the revision was applied, and nothing was deleted.',
    remedy:
      'Find out who made the revision. Sign it, or add the public key to the Secret. See [signed revisions](catalog-source.md#signed-revisions).',
  },
} as const;
