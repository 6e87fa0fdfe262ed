/** A struct or a list that the api-server quotes whole, up to thousands of characters, before it says what is wrong with it. */
const DUMP = /Invalid value: (?:[\w.*&[\]]*\{.*?\}|\[.*?\]): (?=[a-z])/gs;

/** What the api-server says of an object, without the structs that it repeats: `spec.template: field is immutable`. */
export function withoutDumps(text: string): string {
  return text.replaceAll(DUMP, '');
}

const INVALID = /(?:^|[\s:])([A-Za-z]+)(?:\.[\w.]+)? "([^"]+)" is invalid: /;

/** Whether the api-server has rejected an object as invalid (422): the same object is rejected each time. */
export function isRejectedAsInvalid(message: string): boolean {
  return INVALID.test(message);
}

/** How an object whose field cannot be changed gets the new value nevertheless: a sentence; undefined for other rejections. */
export function recreateAdvice(message: string, namespace: string): string | undefined {
  const [, kind = '', name = ''] = INVALID.exec(message) ?? [];
  if (kind === '' || !/field is immutable|updates to .+ are forbidden/.test(message)) return undefined;
  return `To create it anew, which also ends its pods: kubectl delete ${kind.toLowerCase()} ${name} --namespace ${namespace}`;
}
