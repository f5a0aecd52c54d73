import type { BlockContext } from '#server/blocks/block-context';
import { originalOf } from '#server/blocks/block-reader';
import { type ContentReader, toAsset } from '#server/content/embedded/content-store';
import { placeReader } from '#server/content/embedded/entry-paths';
import { linkedAsset, linkedPath } from '#server/content/entry-links';
import { locate, pathOfPlace, rememberPlaces, type SiteState } from '#server/content/site-paths';
import type { LinkReader, RemoteAddress } from '#server/wordpress/mirror';
import { POSTS_SEGMENT } from '#server/core/addresses';
import type { EntryType } from '#server/core/content';
import type { RemoteKind } from '#server/core/remote-site';

/** Translates our addresses and ids to WordPress's, and back. */
export interface AddressBook {
  remoteIdOf(localId: string): number | undefined;
  localIdOf(kind: RemoteKind, remoteId: number): string | undefined;
  /** Our address of a picture of WordPress's library. */
  pictureOf(remoteId: number): Promise<string | undefined>;
  /** Target there of an address of ours: its address and, where it is one, the entry. */
  targetOf(href: string): Promise<{ url: string; entry?: { type: EntryType; remoteId: number } }>;
  /** Translates these addresses of ours, and all of the site's in `raw`. */
  contextFor(hrefs: readonly string[], raw: string): Promise<BlockContext>;
}

/** `http://a.example/pricing/?x#y` as what names the page: `a.example/pricing`. */
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

/** The id in an address of what visitors do not see yet: `?page_id=12`. */
function idIn(address: string): number | undefined {
  const id = /[?&](?:page_id|p)=(\d+)/.exec(address)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** The part of an id before a replacement's mark, see `replacedLinkId`. */
function withoutReplacement(localId: string): string {
  return localId.split('@', 1).join('');
}

/** The link of a picture that another one has taken the place of: WordPress still has it. */
export function replacedLinkId(assetId: string, remoteId: number): string {
  return `${assetId}@${remoteId}`;
}

/** The path here of what is at a path there. */
function futurePath(kind: RemoteKind, path: string): string {
  return kind === 'post' ? `/${POSTS_SEGMENT}/${path.split('/').at(-1) ?? ''}` : path;
}

function isEntry({ kind }: RemoteAddress): boolean {
  return kind === 'page' || kind === 'post';
}

/**
 * @param siteUrl address of the site, without a slash at its end
 * @param newer what was written there and is not in the mirror yet
 * @param seenIn `published`: what is on the site goes by the path that visitors know, as in a menu, whatever its draft says
 */
export async function readAddressBook(
  reader: ContentReader & Pick<LinkReader, 'addresses'>,
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

  async function pathOf(localId: string): Promise<string | undefined> {
    const place = await places.place(localId);
    if (place !== null) return pathOfPlace(places, place, place.publishedSlug === null ? 'draft' : seenIn);
    // What was announced and is not taken over yet: where it will be.
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
      // What is written for one of ours is read as that one again.
      for (const [href, address] of ours) if (!theirs.has(address)) theirs.set(address, href);
      return {
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

/** The site's own addresses in a text, as they are written. In attributes of blocks they may have escaped slashes. */
function addressesIn(raw: string, site: string): string[] {
  const host = site.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return raw.replaceAll(String.raw`\/`, '/').match(new RegExp(String.raw`https?://${host}[^\s"'<>)\\]*`, 'g')) ?? [];
}
