const BASE = 'http://throughline.invalid';

function parse(url: string): URL | null {
  try {
    return new URL(url, BASE);
  } catch {
    return null;
  }
}

/** A link's target if it is http(s) or relative; null for everything else (`javascript:`, `data:` ...). */
export function safeLink(url: string | undefined): string | null {
  const parsed = url === undefined ? null : parse(url);
  return parsed && (parsed.protocol === 'http:' || parsed.protocol === 'https:') ? (url ?? null) : null;
}

/**
 * An image's address if it is on this very origin, else null: a model that can make the browser load an address of
 * its choice can send text away in it.
 */
export function safeImage(url: string | undefined, origin: string): string | null {
  const parsed = url === undefined ? null : parse(url);
  return parsed && (parsed.origin === BASE || parsed.origin === origin) ? (url ?? null) : null;
}
