/** The bytes in a `data:` URL; null for any other URL, and for damaged data. */
export function bytesOf(url: string): Buffer | null {
  const head = /^data:[^,]{0,200},/i.exec(url)?.[0];
  if (head === undefined) return null;
  const data = url.slice(head.length);
  if (/;base64,$/i.test(head)) return Buffer.from(data, 'base64');
  try {
    return Buffer.from(decodeURIComponent(data));
  } catch {
    return null;
  }
}
