const SCHEME = '@blob:';

/** How a stored part names bytes that are kept as a blob of its session. Never leaves the server. */
export function blobUrl(id: string): string {
  return `${SCHEME}${id}`;
}

/** The blob that a file's address names; null for any other address. */
export function blobIdOf(url: string): string | null {
  return url.startsWith(SCHEME) ? url.slice(SCHEME.length) : null;
}

/** Where clients get the bytes of a blob. */
export function attachmentPath(id: string): string {
  return `/api/attachments/${id}`;
}

/** The address of a file as clients see it: a path of ours for a blob, any other as it is. */
export function publicFileUrl(url: string): string {
  const id = blobIdOf(url);
  return id === null ? url : attachmentPath(id);
}
