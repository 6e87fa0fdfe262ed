import type { ChartAccess } from '../chart/chart-access.ts';
import { choice, object, optional, orEmpty, text, type ValueOf } from '../kind/field.ts';
import { secretRefField } from '../kind/secret-ref.ts';

export const ociField = object(
  {
    url: text({
      description: 'The address of the artifact without tag: oci://host/path.',
      minLength: 1,
      maxLength: 2048,
      rules: [
        {
          rule: "self.matches('^oci://[A-Za-z0-9.-]+(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+$')",
          message:
            'must be the address of an artifact without tag, digest, user and password, for example oci://registry.example.com/platform/catalogue',
        },
      ],
    }),
    ref: optional(
      object(
        {
          tag: optional(text({ description: 'A tag.', pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$' })),
          semver: optional(
            text({ description: 'The tag with the highest version in a range, for example >=1.2.0 <2.0.0.', minLength: 1, maxLength: 255 }),
          ),
          digest: optional(text({ description: 'The digest of the manifest.', pattern: '^sha256:[0-9a-f]{64}$' })),
        },
        {
          description: 'The revision that is read. Default: the tag latest.',
          rules: [
            {
              rule: '[has(self.tag), has(self.semver), has(self.digest)].filter(set, set).size() <= 1',
              message: 'set one of tag, semver and digest',
            },
          ],
        },
      ),
    ),
    path: orEmpty(
      text({
        description: 'The folder in the artifact. All .yaml and .yml files in it and below are read. Default: the whole artifact.',
        maxLength: 1024,
        rules: [
          {
            rule: "self == '' || (!self.startsWith('/') && self.split('/').all(part, part != '' && part != '.' && part != '..'))",
            message: 'must be a path inside the artifact, for example clusters/production',
          },
        ],
      }),
    ),
    secretRef: optional(
      secretRefField(
        'A Secret in the namespace chandlery-system with the credentials of the registry: username and password, bearerToken, or a docker configuration; for TLS ca.crt, tls.crt and tls.key.',
      ),
    ),
    verify: optional(
      object(
        {
          provider: choice(['Cosign'], { description: 'The kind of the signature.', default: 'Cosign' }),
          secretRef: secretRefField('A Secret in the namespace chandlery-system with public keys of cosign, in keys that end in .pub.'),
        },
        { description: 'A revision is applied only if cosign has signed its manifest with one of these keys.' },
      ),
    ),
  },
  { description: 'An OCI artifact. It is read again after each interval. Exclusive with folder and git.' },
);

export type OciSource = ValueOf<typeof ociField>;

/** An artifact, the credentials for its registry, and who must have signed it. */
export interface OciRequest extends ChartAccess {
  /** Whose checkout it is: one folder a source is kept. */
  readonly source: string;
  readonly oci: OciSource;
}
