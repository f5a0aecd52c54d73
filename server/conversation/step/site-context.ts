import { contextLine, fitting } from '#server/conversation/step/context-line';
import type { KnownFacts } from '#server/conversation/step/known-facts';
import type { ContentBackend } from '#server/site/content-backend';
import type { EntryItem } from '#server/core/site/site-lists';
import { countTokens } from '#server/context/tokens';
import { entryStatuses, type EntryType } from '#server/core/site/content';
import { createBoundedCache } from '#server/core/bounded-map';
import type { PartContent } from '#server/core/conversation/parts';
import { sameJson, toJson } from '#server/core/json';
import { sectionName } from '#server/core/site/section-name';

/** The site that a conversation works on. */
export interface SiteIdentity {
  readonly id: string;
  /** Address of the site for visitors; null: not known here. */
  readonly address: string | null;
}

/** A site with its content. */
export interface TurnSite extends SiteIdentity {
  readonly content: ContentBackend;
  /** Lines about it that were read before; only for the built-in site. */
  readonly knownFacts?: KnownFacts | undefined;
}

/** Maximum number of pages that are read for the list. A choice, not measured: the tokens limit the list further. */
const MAX_PAGES = 100;
/** Number of time zones whose formatters are cached, because creating one is slow. A choice, not measured. */
const MAX_ZONES = 50;
const formatsOf = createBoundedCache<{ readonly date: Intl.DateTimeFormat; readonly clock: Intl.DateTimeFormat }>(
  MAX_ZONES,
);
const SERVER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Date and time in the user's time zone, or in this server's. */
export function nowLine(now: number, timeZone: string = SERVER_ZONE): string {
  const { date, clock } = formatsOf(timeZone, () => ({
    date: new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone }),
    clock: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZoneName: 'short', timeZone }),
  }));
  return `Now: ${date.format(now)}, ${clock.format(now)} (${timeZone})`;
}

/** Key of the line about one page. */
export const PAGE_KEY = 'page:';

/** Line that names a site. */
export async function siteLine(content: ContentBackend, { address }: SiteIdentity): Promise<string> {
  const { siteName } = await content.settings();
  return contextLine(`Site: "${siteName}"${address === null ? '' : `, ${address}`}`);
}

/**
 * Lines about the site, keyed by subject: name and address, the page in the preview, pages, posts. Pages are in the
 * order of their creation, so that the lines stay the same; pages that do not fit are counted.
 */
export async function readFacts(
  content: ContentBackend,
  site: SiteIdentity,
  preview: PartContent<'situation'>['preview'],
  maxTokens: number,
): Promise<Record<string, string>> {
  const [line, design, shownInPreview, posts, { items, total }] = await Promise.all([
    siteLine(content, site),
    designLine(content),
    preview && previewLine(content, preview),
    countLine(content, 'post', 'Posts'),
    content.query({ type: 'page', sort: 'created', order: 'asc', limit: MAX_PAGES }),
  ]);
  const head = {
    site: line,
    ...(design !== null && { design }),
    ...(shownInPreview !== undefined && { preview: shownInPreview }),
  };
  const left = maxTokens - countTokens([...Object.values(head), posts].join('\n'));
  const paths = items.some(({ status }) => status === 'changed')
    ? await publishedPaths(content)
    : new Map<string, string>();
  const shown = fitting(
    items.map((item) => pageLine(item, paths.get(item.id))),
    left,
  );
  const pages = items.slice(0, shown.length).map(({ id }, index) => [`${PAGE_KEY}${id}`, shown[index]!] as const);
  return {
    ...head,
    ...Object.fromEntries(pages),
    ...(shown.length < total && { pages: await countLine(content, 'page', shown.length > 0 ? 'All pages' : 'Pages') }),
    posts,
  };
}

/** Line about the design: at most 40 tokens. Null: none was stored. */
async function designLine(content: ContentBackend): Promise<string | null> {
  const { draft, published, revision } = await content.design();
  if (revision === 0) return null;
  const { palette, fonts, appearance } = draft;
  const brand = palette.brand === '' ? '' : `brand ${palette.brand}, `;
  const state = sameJson(toJson(draft), toJson(published)) ? '' : ', draft not published';
  return contextLine(`Design: ${brand}${fonts}, ${appearance}${state}`);
}

/** The path in the line of a page. */
export const PAGE_PATH = /^Page (\/\S*) "/;

/** Text in the line of a page whose published path differs from the draft's. */
export const VISITORS_AT = ', for visitors still at ';

/** @param published the path for visitors; undefined: it is not published, or the path is not known */
function pageLine({ path, title, status }: EntryItem, published = path): string {
  const page = `Page ${path} "${title}" ${status}`;
  return contextLine(published === path ? page : `${page}${VISITORS_AT}${published}`);
}

/** Paths of published pages, by id. */
async function publishedPaths(content: ContentBackend): Promise<ReadonlyMap<string, string>> {
  const { items } = await content.query({
    type: 'page',
    state: 'published',
    sort: 'created',
    order: 'asc',
    limit: MAX_PAGES,
  });
  return new Map(items.map(({ id, path }) => [id, path]));
}

async function previewLine(
  content: ContentBackend,
  { path, state }: NonNullable<PartContent<'situation'>['preview']>,
): Promise<string> {
  const match = await content.findByPath(path, state);
  const entry = match?.kind === 'entry' ? ` "${match.entry.draft.title}" (${match.entry.id})` : '';
  return contextLine(`Open in the preview: ${path}${entry}, ${state}`);
}

/** Meaning of words in a message that names no place. */
const MEANING =
  '"this", "it", "here", "shorter", "warmer" and the like in the message mean this section alone; leave others as they are.';

/** A section that the user has selected. */
export interface ChosenSection {
  /** Identifies it. */
  readonly chosen: string;
  /** The line that the model reads. */
  readonly text: string;
}

/** Lines about the section that the user has selected. */
export async function chosenLines(
  content: ContentBackend,
  { path, state }: NonNullable<PartContent<'situation'>['preview']>,
  sectionId: string,
): Promise<ChosenSection | null> {
  const match = await content.findByPath(path, state);
  if (match?.kind !== 'entry') return null;
  const { id, draft, published } = match.entry;
  const section = (state === 'draft' ? draft : published)?.sections.find((each) => each.id === sectionId);
  if (!section) return null;
  const name = sectionName(section);
  const chosen = contextLine(`section ${section.id} (${section.type}${name === '' ? '' : `, "${name}"`}) of ${id}`);
  return { chosen, text: `Chosen by the user on the page: ${chosen}. ${MEANING}` };
}

async function countLine(content: ContentBackend, type: EntryType, name: string): Promise<string> {
  const counts = await content.statusCounts(type);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const states = entryStatuses.filter((status) => counts[status] > 0).map((status) => `${counts[status]} ${status}`);
  return `${name}: ${total}${states.length > 0 ? ` (${states.join(', ')})` : ''}`;
}
