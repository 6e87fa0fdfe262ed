/** Annotation on a CRD: where it came from (see `CrdOrigin`). */
export const ORIGIN_ANNOTATION = 'chandlery.dev/origin';
/** Label on a release record: the digest over what the revision was made of. */
export const CONFIG_DIGEST_LABEL = 'chandlery.dev/config-digest';
