import type { UnreadPlace } from '#server/site/content-backend';
import { knownEntryOf, type Mirror } from '#server/wordpress/mirror/mirror';

/** Block that shows the footnotes; their texts are in the meta field `footnotes` (WordPress 6.3, core/footnotes). */
const FOOTNOTES = /<!--\s+wp:footnotes\b/;
/** Reusable block whose text this entry overrides (WordPress 6.6, attribute `content` of core/block). */
const OVERRIDES = /<!--\s+wp:block\s+\{(?=[^\n]{0,2000}"content":\{)/;

/** See ContentBackend.unreadPlaces: texts of a WordPress site that its mirror does not contain. */
export async function unreadPlaces(mirror: Mirror): Promise<readonly UnreadPlace[]> {
  const titles = { footnotes: [] as string[], 'pattern-overrides': [] as string[], 'page-builder': [] as string[] };
  for (const link of [...(await mirror.links('page')), ...(await mirror.links('post'))]) {
    const known = knownEntryOf(link);
    if (known === null || known.status === 'trashed') continue;
    const { title } = known.document;
    if (known.blocks.some(({ raw }) => FOOTNOTES.test(raw))) titles.footnotes.push(title);
    if (known.blocks.some(({ raw }) => OVERRIDES.test(raw))) titles['pattern-overrides'].push(title);
    if ((known.fields?.builder ?? '') !== '') titles['page-builder'].push(title);
  }
  const found = Object.entries(titles) as [keyof typeof titles, string[]][];
  return [
    // Always reported: WordPress' API does not show whether a site has text there.
    { code: 'plugin-fields' },
    { code: 'theme' },
    ...found.flatMap(([code, of]) => (of.length === 0 ? [] : [{ code, titles: of }])),
  ];
}
