import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { originalOf } from '#server/wordpress/blocks/block-reader';
import type { ContentReader } from '#server/site/embedded/content-store';
import { readSettings } from '#server/site/embedded/site-settings-writes';
import { toAsset } from '#server/site/embedded/asset-state';
import { placeReader } from '#server/site/embedded/entry-paths';
import { linkedAsset, linkedPath } from '#server/site/entry-links';
import { locate, pathOfPlace, rememberPlaces, type SiteState } from '#server/site/site-paths';
import type { RemoteAddress, AddressReader } from '#server/wordpress/mirror/mirror';
import { POSTS_SEGMENT } from '#server/core/addresses';
import type { EntryType } from '#server/core/site/content';
import type { RemoteKind } from '#server/core/site/remote-site';

/** Translates our addresses and ids to those of WordPress, and back. */
export interface AddressBook {
  remoteIdOf(localId: string): number | undefined;
  localIdOf(kind: RemoteKind, remoteId: number): string | undefined;
  /** Our address of a picture in WordPress's library. */
  pictureOf(remoteId: number): Promise<string | undefined>;
  /** Target in WordPress of one of our addresses: its address and, for an entry, the entry. */
  targetOf(href: string): Promise<{ url: string; entry?: { type: EntryType; remoteId: number } }>;
  /** Translates these addresses of ours, and all addresses of the site in `raw`. */
  contextFor(hrefs: readonly string[], raw: string): Promise<BlockContext>;
}

/** The part of `http://a.example/pricing/?x#y` that identifies the page: `a.example/pricing`. */
function nameOf(address: string): string {
  return address
    .slice(0, address.length - restOf(address).length)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '');
}

/** The part of an address after its path: `?a=b#c`. */
function restOf(href: string): string {
  const at = href.search(/[?#]/);
  return at < 0 ? '' : href.slice(at);
}

/** The id in an address of unpublished content: `?page_id=12`. */
function idIn(address: string): number | undefined {
  const id = /[?&](?:page_id|p)=(\d+)/.exec(address)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** The part of an id before the suffix of a replacement, see `replacedLinkId`. */
function withoutReplacement(localId: string): string {
  return localId.split('@', 1).join('');
}

/** Id of the link of a replaced picture, which WordPress still has. */
export function replacedLinkId(assetId: string, remoteId: number): string {
  return `${assetId}@${remoteId}`;
}

/** The path here of the content at a WordPress path. */
function futurePath(kind: RemoteKind, path: string): string {
  return kind === 'post' ? `/${POSTS_SEGMENT}/${path.split('/').at(-1) ?? ''}` : path;
}

function isEntry({ kind }: RemoteAddress): boolean {
  return kind === 'page' || kind === 'post';
}

/**
 * @param siteUrl address of the site, without a trailing slash
 * @param newer entries written to WordPress that are not in the mirror yet
 * @param seenIn `published`: content on the site has the path that visitors know, as in a menu, regardless of its draft
 */
export async function readAddressBook(
  reader: ContentReader & AddressReader,
  siteUrl: string,
  newer: readonly RemoteAddress[] = [],
  seenIn: SiteState = 'draft',
): Promise<AddressBook> {
  const rows = [...(await reader.addresses()), ...newer];
  const byLocal = new Map(rows.map((row) => [row.localId, row]));
  const byRemote = new Map(rows.map((row) => [`${row.kind} ${row.remoteId}`, row]));
  const named = (of: (row: RemoteAddress) => boolean, name: (address: string) => string) =>
    new Map(rows.filter(of).flatMap((row) => (row.address ? [[name(row.address), row.localId] as const] : [])));
  const entries = named((row) => isEntry(row) && idIn(row.address ?? '') === undefined, nameOf);
  const pictures = named(
    ({ kind }) => kind === 'asset',
    (address) => nameOf(originalOf(address)),
  );
  const places = rememberPlaces(placeReader(reader));
  const site = nameOf(siteUrl);
  const { language } = await readSettings(reader);

  async function pathOf(localId: string): Promise<string | undefined> {
    const place = await places.place(localId);
    if (place !== null) return pathOfPlace(places, place, place.publishedSlug === null ? 'draft' : seenIn);
    // For an entry that was announced but not taken over yet: its future path.
    const row = byLocal.get(localId);
    return row?.address ? futurePath(row.kind, nameOf(row.address).slice(site.length)) : undefined;
  }

  async function urlOf(assetId: string | undefined): Promise<string | undefined> {
    const asset = assetId === undefined ? null : await reader.asset(withoutReplacement(assetId));
    return asset === null ? undefined : toAsset(asset).url;
  }

  async function toLocal(address: string): Promise<string | undefined> {
    const picture = pictures.get(nameOf(originalOf(address)));
    if (picture !== undefined) return urlOf(picture);
    const id = idIn(address);
    const byId = id === undefined ? undefined : (byRemote.get(`page ${id}`) ?? byRemote.get(`post ${id}`));
    const entry = byId?.localId ?? entries.get(nameOf(address));
    const path = entry === undefined ? undefined : await pathOf(entry);
    if (path !== undefined) return byId === undefined ? path + restOf(address) : path;
    return nameOf(address) === site && idIn(address) === undefined ? `/${restOf(address)}` : undefined;
  }

  async function toRemote(href: string): Promise<string | undefined> {
    const asset = linkedAsset(href);
    if (asset !== null) return byLocal.get(asset)?.address ?? undefined;
    const path = linkedPath(href);
    if (path === null) return undefined;
    if (path === '/') return `${siteUrl}/${restOf(href)}`;
    const address = (await entryAt(path))?.address;
    return address ? address + (address.includes('?') ? '' : restOf(href)) : undefined;
  }

  async function entryAt(path: string): Promise<RemoteAddress | undefined> {
    const published = seenIn === 'published' ? await locate(places, path, 'published') : null;
    const found = published?.id ? published : await locate(places, path, 'draft');
    return byLocal.get(found?.id ?? '');
  }

  return {
    remoteIdOf: (localId) => byLocal.get(localId)?.remoteId,
    localIdOf: (kind, remoteId) => byRemote.get(`${kind} ${remoteId}`)?.localId,
    pictureOf: (remoteId) => urlOf(byRemote.get(`asset ${remoteId}`)?.localId),
    async targetOf(href) {
      const url = (await toRemote(href)) ?? href;
      const path = linkedPath(href);
      const row = path === null || path === '/' ? undefined : await entryAt(path);
      const isPlain = row !== undefined && !row.kindSlug;
      const type = isPlain && (row.kind === 'page' || row.kind === 'post') ? row.kind : undefined;
      return row === undefined || type === undefined ? { url } : { url, entry: { type, remoteId: row.remoteId } };
    },
    async contextFor(hrefs, raw) {
      const ours = new Map<string, string>();
      const theirs = new Map<string, string>();
      for (const href of new Set(hrefs)) {
        const address = await toRemote(href);
        if (address !== undefined) ours.set(href, address);
      }
      for (const written of new Set(addressesIn(raw, site))) {
        const address = written.replaceAll('&amp;', '&').replaceAll('&#038;', '&');
        const path = await toLocal(address);
        if (path !== undefined) theirs.set(address, path);
      }
      // An address that was written for one of ours is read as that one again.
      for (const [href, address] of ours) if (!theirs.has(address)) theirs.set(address, href);
      return {
        language,
        toRemote: (href) => ours.get(href) ?? href,
        toLocal: (href) => theirs.get(href.replaceAll('&amp;', '&')) ?? href,
        mediaId(src) {
          const asset = linkedAsset(src);
          return asset === null ? undefined : byLocal.get(asset)?.remoteId;
        },
      };
    },
  };
}

/**
 * The site's own addresses in a text, in their original spelling. In attributes of blocks they may have escaped
 * slashes.
 */
function addressesIn(raw: string, site: string): string[] {
  const host = site.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return raw.replaceAll(String.raw`\/`, '/').match(new RegExp(String.raw`https?://${host}[^\s"'<>)\\]*`, 'g')) ?? [];
}
