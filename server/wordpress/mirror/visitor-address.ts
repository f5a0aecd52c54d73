import { percentDecoded } from '#server/core/addresses';
import type { Entry } from '#server/core/site/content';
import { type KnownEntry, knownEntryOf, type SiteAccess } from '#server/wordpress/mirror/mirror';

/** WordPress's place for the slug in the template of an address. */
const SLUG = /%(?:postname|pagename)%/;

/** An address with another last part of its path; null: its last part is not the slug. */
function withSlug(address: string, former: string, slug: string): string | null {
  const [place = '', last = ''] = /^(.*\/)([^/?#]+)\/?$/.exec(address)?.slice(1) ?? [];
  return last === '' || percentDecoded(last) !== former ? null : `${place}${slug}${address.endsWith('/') ? '/' : ''}`;
}

/** Address of an entry once it has another slug. */
function addressWithSlug({ address, addressTemplate = '', slug: former }: KnownEntry, slug: string): string {
  if (SLUG.test(addressTemplate)) return addressTemplate.replace(SLUG, slug);
  return withSlug(address, former, slug) ?? address;
}

/**
 * Where visitors find an entry of WordPress, by its permalinks: as it is published, or as its draft will be. A draft
 * without a date of its own has that of its last change in a dated address. Null: WordPress does not have the entry.
 */
export async function visitorAddress(
  { mirror, siteUrl }: Pick<SiteAccess, 'mirror' | 'siteUrl'>,
  { id, draft, published }: Entry,
  state: 'published' | 'draft',
): Promise<string | null> {
  const known = knownEntryOf(await mirror.link(id));
  if (known === null) return null;
  const { slug, parent } = (state === 'published' ? published : null) ?? draft;
  const isSeen = known.status === 'published';
  const isAsKnown = slug === known.document.slug && parent === known.document.parent;
  const isHome = known.address === `${siteUrl}/`;
  if (isSeen && (isAsKnown || isHome)) return known.address;
  const written = slug === known.document.slug && known.slug !== '' ? known.slug : slug;
  if (parent === known.document.parent) return addressWithSlug(known, written);
  const above = parent === undefined ? null : knownEntryOf(await mirror.link(parent));
  return `${above === null ? siteUrl : above.address.replace(/\/$/, '')}/${written}/`;
}
