const MAX_ADDRESS_LENGTH = 500;

/** The address of a link that somebody else gives: only https, and without a user name that could be taken for a host. Empty for anything else. */
export function httpsAddress(text: unknown): string {
  if (typeof text !== 'string' || text.length > MAX_ADDRESS_LENGTH || !URL.canParse(text)) return '';
  const { protocol, username, password, href } = new URL(text);
  return protocol === 'https:' && username === '' && password === '' ? href : '';
}
