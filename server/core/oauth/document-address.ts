/** Maximum characters of an address. */
const MAX_ADDRESS = 500;
/** `.` and `..`, also encoded, as a segment of a path. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * True if a client's id is the address of the document that describes it, in its only way of writing it
 * (draft-ietf-oauth-client-id-metadata-document-00, section 3).
 */
export function isDocumentAddress(id: string): boolean {
  if (!id.startsWith('https://') || id.length > MAX_ADDRESS || DOT_SEGMENT.test(id) || !URL.canParse(id)) return false;
  const { href, pathname, hash, search, username, password } = new URL(id);
  const isPlain = hash === '' && search === '' && username === '' && password === '';
  return isPlain && pathname !== '/' && href === id;
}
