/** Label on a release record: the digest over what the revision was made of. */
export const CONFIG_DIGEST_LABEL = 'chandlery.dev/config-digest';
