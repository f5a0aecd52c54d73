/** Resolves an address against the address of its page or style sheet; null unless it is valid and http(s). */
export function resolveHttp(address: string, base: string): URL | null {
  const url = URL.parse(address.trim(), base);
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

const CSS_IMPORT = /@import\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"';)]+))\s*\)?([^;{}]*);?/gi;
const CSS_URL = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"'()]*))\s*\)/gi;

/**
 * A style sheet in which all addresses of `@import` and `url()` are replaced. Data URLs and fragments stay; the sheet is
 * not parsed otherwise.
 * @param base address of the style sheet
 * @param file address here of a file; null: the reference is removed
 */
export function safeCss(css: string, base: string, file: (address: URL) => string | null): string {
  const mapped = (address: string) => {
    const url = resolveHttp(address, base);
    return url === null ? null : file(url);
  };
  const quoted = (address: string) => `"${address.replaceAll(/["\\\n]/g, encodeURIComponent)}"`;
  return css
    .replace(CSS_IMPORT, (_, ...[double, single, bare, media]: (string | undefined)[]) => {
      const address = mapped(double ?? single ?? bare ?? '');
      return address === null ? '' : `@import ${quoted(address)} ${media?.trim() ?? ''};`;
    })
    .replace(CSS_URL, (whole, ...[double, single, bare]: (string | undefined)[]) => {
      const address = double ?? single ?? bare ?? '';
      if (/^(?:data:|#)/i.test(address)) return whole;
      return `url(${quoted(mapped(address) ?? 'data:,')})`;
    });
}
