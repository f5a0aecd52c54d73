import { linkedAsset } from '#server/site/entry-links';
import { percentDecoded } from '#server/core/addresses';
import { pictureFolder } from '#server/import-export/plan/picture-folder';

/** WordPress's name of a resized picture: `kiln-300x200.jpg`. */
const RESIZED_PICTURE = /-\d+x\d+(?=\.[a-z]+$)/i;
/** Queries that identify an entry. */
const ENTRY_QUERY = /^\?(?:p|page_id|attachment_id)=\d+$/;
/** Base for paths of this site, because `URL` needs one; never requested. */
const PLACEHOLDER_ORIGIN = 'http://this-site.invalid';

/** Maps addresses of the source of an import to paths and addresses of this site. */
export interface Addresses {
  /** Adds an address. If it was already added, the first target stays. */
  add(address: string, ours: string): void;
  /** The corresponding address on this site, with the fragment of the given one; null if there is none. */
  find(address: string): string | null;
  /** As `find`; without a corresponding address, the given one, made absolute if it is relative to the source. */
  toLocal(address: string): string;
  /** True if an address has the host of the source, with or without `www.`. */
  isOfSource(address: string): boolean;
}

/**
 * An empty map of addresses.
 * @param base address of the source, to which its paths are relative; null: paths are already those of this site
 */
export function createAddresses(base: string | null): Addresses {
  const root = base ?? PLACEHOLDER_ORIGIN;
  const known = new Map<string, string>();
  const parsed = (written: string) => {
    const from = `${root}/`;
    const address = HOST_ONLY.test(written) ? `https://${written}` : written;
    return URL.canParse(address, from) ? new URL(address, from) : null;
  };
  /** If the source has a base, also an address without a host or a leading slash. */
  const isRelative = (address: string) => base !== null && /^[\w.~-]/.test(address) && !SCHEME.test(address);
  const isAddress = (address: string) =>
    /^(https?:)?\//i.test(address) || address.startsWith('?') || isRelative(address);
  const find = (address: string) => {
    if (!isAddress(address)) return null;
    const url = parsed(address);
    if (url === null) return null;
    const asset = base === null ? linkedAsset(url.pathname) : null;
    const folder = asset === null ? null : parsed(pictureFolder(asset));
    const ours = [url, ...(folder === null ? [] : [folder])]
      .flatMap((each) => keysOf(each).map((key) => known.get(key)))
      .find((path) => path !== undefined);
    // A query of the source has no meaning here; a query of this site is kept.
    return ours === undefined ? null : `${ours}${base === null ? url.search : ''}${url.hash}`;
  };
  return {
    find,
    add(address, ours) {
      const url = parsed(address);
      const [key] = url === null ? [] : keysOf(url);
      if (key !== undefined && !known.has(key)) known.set(key, ours);
    },
    toLocal(address) {
      const ours = find(address);
      if (ours !== null) return ours;
      const isPath = base !== null && (address.startsWith('/') || isRelative(address));
      return (isPath ? parsed(address)?.href : undefined) ?? address;
    },
    isOfSource(address) {
      const host = parsed(address)?.host;
      return base !== null && host !== undefined && sameHost(host) === sameHost(new URL(root).host);
    },
  };
}

/** A host without a scheme, which looks like a path. */
const HOST_ONLY = /^www\.[\w-]+\./i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** A site is the same with and without `www.`. */
function sameHost(host: string): string {
  return host.replace(/^www\./, '');
}

/**
 * Lookup keys of an address, the most exact first; http and https are equivalent, and so are the encodings of one
 * character.
 */
function keysOf({ origin, host, pathname, search }: URL): string[] {
  const path = `/${percentDecoded(pathname).normalize('NFC').split('/').filter(Boolean).join('/')}`;
  const place = `${sameHost(host)}${path}`;
  // On the home page, a query identifies something else: a search, a category.
  if (ENTRY_QUERY.test(search) || (path === '/' && search !== '' && origin !== PLACEHOLDER_ORIGIN))
    return [`${place}${search}`];
  return [...new Set([place, place.replace(RESIZED_PICTURE, '')])];
}
