import { object, text } from './field.ts';

/** The name of an object of Kubernetes, a DNS subdomain of RFC 1123. Read back from older objects as it is: the pattern holds for what is written. */
const OBJECT_NAME = String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`;

/** A reference to a Secret by its name. @param description where it is, and its keys. */
export const secretRefField = (description: string) =>
  object({ name: text({ description: 'The name of the Secret.', minLength: 1, maxLength: 253, pattern: OBJECT_NAME }) }, { description });
