import { VERIFY_PROVIDERS } from '../../chart/chart-access.ts';
import { choice, flag, object, optional, text, type ValueOf } from '../../kind/field.ts';
import { secretRefField } from '../../kind/secret-ref.ts';

const verifyField = (place: string) =>
  object(
    {
      provider: choice(VERIFY_PROVIDERS, {
        description:
          'The kind of the signature. Provenance is the .prov file of Helm (OpenPGP), Cosign a signature beside the chart in an oci registry.',
      }),
      secretRef: secretRefField(
        `A Secret in ${place} with the public keys that are trusted, for Provenance under keys that end in .gpg or .asc, for Cosign under keys that end in .pub.`,
      ),
    },
    { description: 'Asks for a signature. A chart that is not signed by one of the keys is rejected, and what is installed stays.' },
  );

const ADDRESS = {
  repoURL: text({
    description:
      'The address of the repository (https or oci), file://ROOT for a folder that is configured as a root, for example file://charts, or file://uploaded for uploaded charts.',
    maxLength: 2048,
    pattern: '^(https?|oci|file)://.+$',
  }),
  name: text({
    description: 'The name of the chart in the repository.',
    minLength: 1,
    maxLength: 250,
    pattern: '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
  }),
  version: text({
    description: 'The version of the chart, for example 1.4.0, or a range of versions, for example ^1.4 or >=1.4 <2.',
    minLength: 1,
    maxLength: 128,
    pattern: '^[0-9A-Za-z.*^~<>=|+ -]+$',
  }),
  digest: optional(
    text({
      description:
        'The SHA-256 digest that the archive must have, or, in an oci registry, the archive or its manifest. A chart with another digest is rejected.',
      pattern: '^sha256:[0-9a-f]{64}$',
    }),
  ),
};

const CHART_RULES = [
  {
    rule: String.raw`!self.repoURL.matches(r'^[a-z]+:[/\\]*[^/\\?#]*@')`,
    message: 'an address must not hold a user or password; put them into a Secret and name it in secretRef',
    fieldPath: '.repoURL',
  },
  {
    rule: "!has(self.secretRef) || !self.repoURL.startsWith('file:')",
    message: 'a folder asks for no credentials; secretRef is for https and oci',
    fieldPath: '.secretRef',
  },
  {
    rule: "!has(self.verify) || self.verify.provider != 'Cosign' || self.repoURL.startsWith('oci:')",
    message: 'cosign signs in oci registries only; use Provenance',
    fieldPath: '.verify',
  },
];

/** A chart of a repository. @param place where its Secrets are, for example "the namespace of the Operator". */
export const chartField = (place: string) =>
  object(
    {
      ...ADDRESS,
      secretRef: optional(
        secretRefField(
          `A Secret in ${place} with the credentials for the repository. Its keys are username and password, or bearerToken, or .dockerconfigjson (oci only); for TLS ca.crt, tls.crt and tls.key.`,
        ),
      ),
      verify: optional(verifyField(place)),
    },
    {
      description: 'A chart of a repository, in one version. Exclusive with chartURL.',
      rules: CHART_RULES,
    },
  );

/** Where values of a chart come from, whatever the kind of the object. */
export const valuesFromMembers = {
  name: text({ description: 'The name of the object.', minLength: 1, maxLength: 253 }),
  key: text({ description: 'The key in its data.', default: 'values.yaml', minLength: 1, maxLength: 253 }),
  targetPath: optional(
    text({
      description: 'Where in the values the text of the key goes, for example auth.password. Without it the text is a YAML map of values.',
      minLength: 1,
      maxLength: 500,
      pattern: String.raw`^([^.\\\[\]]|\\.)+(\.([^.\\\[\]]|\\.)+)*$`,
    }),
  ),
  optional: flag({ description: 'Whether to go on without it when the object or the key does not exist.', default: false }),
} as const;

export const valuesFromItem = object(
  { kind: choice(['Secret', 'ConfigMap'], { description: 'The kind of the object.' }), ...valuesFromMembers },
  {},
);

/** A Secret or ConfigMap that holds values of a chart. */
export type ValuesFrom = ValueOf<typeof valuesFromItem>;
