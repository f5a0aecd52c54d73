import { percentDecoded } from '#server/core/percent-decoded';

/** WordPress's name of a picture in another size: `kiln-300x200.jpg`. */
const SIZED = /-\d+x\d+(?=\.[a-z]+$)/i;
/** Queries that name an entry. */
const NAMING = /^\?(?:p|page_id|attachment_id)=\d+$/;
const NOWHERE = 'http://this-site.invalid';

/** What the addresses of a source are on our site. */
export interface Addresses {
  /** The first of an address stays. */
  add(address: string, ours: string): void;
  /** The same place on our site; null where it is none of ours. */
  find(address: string): string | null;
  /** What to write for an address of the source's content. */
  toLocal(address: string): string;
  /** Whether it leads into the source. */
  isOfSource(address: string): boolean;
}

/** @param base what paths are below of; null: they are of our own site already */
export function createAddresses(base: string | null): Addresses {
  const root = base ?? NOWHERE;
  const known = new Map<string, string>();
  const parsed = (address: string) => {
    const from = `${root}/`;
    return URL.canParse(address, from) ? new URL(address, from) : null;
  };
  const find = (address: string) => {
    if (!/^(https?:)?\//i.test(address) && !address.startsWith('?')) return null;
    const url = parsed(address);
    if (url === null) return null;
    const ours = keysOf(url)
      .map((key) => known.get(key))
      .find((path) => path !== undefined);
    // A query of the source's means nothing here; one of our own stays.
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
      const isPath = base !== null && address.startsWith('/');
      return (isPath ? parsed(address)?.href : undefined) ?? address;
    },
    isOfSource: (address) => base !== null && parsed(address)?.host === new URL(root).host,
  };
}

/** What names an address, the most exact first; http and https are the same. */
function keysOf({ host, pathname, search }: URL): string[] {
  const path = `/${percentDecoded(pathname).split('/').filter(Boolean).join('/')}`;
  const place = `${host}${path}`;
  if (NAMING.test(search)) return [`${place}${search}`];
  return [...new Set([place, place.replace(SIZED, '')])];
}
