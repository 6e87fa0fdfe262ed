import { integer, list, object, optional, orEmpty, text, type ValueOf } from '../../kind/field.ts';

const secretKeyRef = object(
  {
    name: text({
      description:
        'The name of the Secret in the namespace of the instance, with placeholders, for example {name}-app. Without {name}, the Secret must have an owner reference to the instance.',
      minLength: 1,
      maxLength: 253,
    }),
    key: text({ description: 'The key in its data, for example password.', maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$' }),
  },
  { description: 'A key of a Secret of the instance. It is masked, and revealed to whoever may get the Secret.' },
);

const serviceRef = object(
  {
    name: text({
      description: 'The name of the Service in the namespace of the instance, with placeholders, for example {name}-rw.',
      minLength: 1,
      maxLength: 253,
    }),
    port: optional(
      object(
        {
          name: optional(
            text({ description: 'The name of the port, for example https.', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
          ),
          number: optional(integer({ description: 'The number of the port.', minimum: 1, maximum: 65535 })),
        },
        {
          description: 'The port, by name or number as in an Ingress. Defaults to the first one.',
          rules: [{ rule: 'has(self.name) != has(self.number)', message: 'set the name or the number of the port' }],
        },
      ),
    ),
  },
  { description: 'A port of a Service: the key has its DNS name and port, and a port-forward command.' },
);

const connectionKey = object(
  {
    name: text({
      description:
        'The name of the key. Those of the Service Binding specification are understood everywhere: type, provider, host, port, uri, username, password, certificates and private-key; also database.',
      maxLength: 63,
      pattern: '^[a-z0-9]([-._a-z0-9]*[a-z0-9])?$',
    }),
    label: optional(text({ description: 'What people call it. Defaults to the name.', minLength: 1, maxLength: 60 })),
    description: orEmpty(text({ description: 'One sentence about what it is for.', maxLength: 300 })),
    value: optional(
      text({
        description:
          'A text with placeholders: {name}, {namespace}, and paths of the instance such as {spec.port} or {status.endpoint}. There is no template language.',
        minLength: 1,
        maxLength: 1000,
      }),
    ),
    fieldPath: optional(
      text({
        description: 'The path of a field of the instance, for example status.endpoint.',
        maxLength: 500,
        pattern: String.raw`^(spec|status|metadata)[.\[].+$`,
      }),
    ),
    secretKeyRef: optional(secretKeyRef),
    serviceRef: optional(serviceRef),
  },
  {
    rules: [
      {
        rule: '[has(self.value), has(self.fieldPath), has(self.secretKeyRef), has(self.serviceRef)].filter(given, given).size() == 1',
        message: 'set exactly one of value, fieldPath, secretKeyRef and serviceRef',
      },
    ],
  },
);

/** What somebody needs to reach an instance of a kind. */
export const connectionField = list(connectionKey, {
  description:
    'What people need to reach an instance, key by key, as its page and the REST API show it. Each key has exactly one of value, fieldPath, secretKeyRef and serviceRef.',
  maxItems: 30,
  merge: { by: 'name' },
});

/** One key of the connection of a kind, as the catalogue describes it. */
export type ConnectionEntry = ValueOf<typeof connectionKey>;
