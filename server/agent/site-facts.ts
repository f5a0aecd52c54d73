import type { ContentBackend } from '#server/content/content-backend';
import type { EntryItem } from '#server/core/site-lists';
import { countTokens } from '#server/context/tokens';
import { entryStatuses, type EntryType } from '#server/core/content';
import type { ChangeActor, ChangeSet } from '#server/core/changes';
import { createBoundedCache } from '#server/core/bounded-map';
import { foreignText } from '#server/core/foreign-text';
import type { PartContent } from '#server/core/parts';
import { sectionName } from '#server/core/section-name';
import { oneLine } from '#server/core/short-text';

/** The site that a conversation works on. */
export interface SiteIdentity {
  readonly id: string;
  /** Address that visitors reach it at; null: not known here. */
  readonly address: string | null;
}

/** The same, with what is on it. */
export interface TurnSite extends SiteIdentity {
  readonly content: ContentBackend;
}

/** Pages that are read to be listed. */
const MAX_PAGES = 100;
/** Changes by others that are looked at; a busy site may have more. */
const MAX_CHANGES = 100;
/** Things changed by others that are told one by one. */
const MAX_THINGS = 8;
/** Tokens of all lines about others. */
const OTHERS_TOKENS = 150;
/** Characters of one line: an address and a title, or what was done to a thing. */
const LINE_CHARS = 160;

/** A line of a situation: nothing in it passes for a mark of the app. */
function line(text: string): string {
  return foreignText(oneLine(text, LINE_CHARS));
}

/** Time zones whose formats are kept: to make one takes longer than all else that is said of a time. */
const MAX_ZONES = 50;
const formatsOf = createBoundedCache<{ readonly date: Intl.DateTimeFormat; readonly clock: Intl.DateTimeFormat }>(
  MAX_ZONES,
);
const SERVER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Date and time where the user is, or this server. */
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
  return line(`Site: "${siteName}"${address === null ? '' : `, ${address}`}`);
}

/**
 * Lines about the site by what each is about: name and address, what the preview shows, pages, posts. Pages are in the
 * order of their creation, so that the lines stay the same; those for which there is no room are counted.
 */
export async function readFacts(
  content: ContentBackend,
  site: SiteIdentity,
  preview: PartContent<'situation'>['preview'],
  maxTokens: number,
): Promise<Record<string, string>> {
  const head = {
    site: await siteLine(content, site),
    ...(preview && { preview: await previewLine(content, preview) }),
  };
  const posts = await countLine(content, 'post', 'Posts');
  const { items, total } = await content.query({ type: 'page', sort: 'created', order: 'asc', limit: MAX_PAGES });
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

/** The path in the line of a page. */
export const PAGE_PATH = /^Page (\/\S*) "/;

/** Where visitors find a page whose draft is elsewhere, in its line. */
export const VISITORS_AT = ', for visitors still at ';

/** @param published the path at which visitors find it; undefined: it is not published, or not known */
function pageLine({ path, title, status }: EntryItem, published = path): string {
  const page = `Page ${path} "${title}" ${status}`;
  return line(published === path ? page : `${page}${VISITORS_AT}${published}`);
}

/** Paths of published pages, by their ids. */
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

function fitting(lines: readonly string[], maxTokens: number): string[] {
  let tokens = 0;
  const over = lines.findIndex((text) => (tokens += countTokens(text) + 1) > maxTokens);
  return over === -1 ? [...lines] : lines.slice(0, over);
}

async function previewLine(
  content: ContentBackend,
  { path, state }: NonNullable<PartContent<'situation'>['preview']>,
): Promise<string> {
  const match = await content.findByPath(path, state);
  const entry = match?.kind === 'entry' ? ` "${match.entry.draft.title}" (${match.entry.id})` : '';
  return line(`Open in the preview: ${path}${entry}, ${state}`);
}

/** Meaning of words in a message that names no place. */
const MEANING =
  '"this", "it", "here", "shorter", "warmer" and the like in the message mean this section alone; leave others as they are.';

/** Lines about the section that the user has chosen; `chosen` names it alone. */
export async function chosenLines(
  content: ContentBackend,
  { path, state }: NonNullable<PartContent<'situation'>['preview']>,
  sectionId: string,
): Promise<{ readonly chosen: string; readonly text: string } | null> {
  const match = await content.findByPath(path, state);
  if (match?.kind !== 'entry') return null;
  const { id, draft, published } = match.entry;
  const section = (state === 'draft' ? draft : published)?.sections.find((each) => each.id === sectionId);
  if (!section) return null;
  const name = sectionName(section);
  const chosen = line(`section ${section.id} (${section.type}${name === '' ? '' : `, "${name}"`}) of ${id}`);
  return { chosen, text: `Chosen by the user on the page: ${chosen}. ${MEANING}` };
}

async function countLine(content: ContentBackend, type: EntryType, name: string): Promise<string> {
  const counts = await content.statusCounts(type);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const states = entryStatuses.filter((status) => counts[status] > 0).map((status) => `${counts[status]} ${status}`);
  return `${name}: ${total}${states.length > 0 ? ` (${states.join(', ')})` : ''}`;
}

/** The newest change of the site, with its revision: typing goes on with a change. A null id: there is none. */
export interface NewestChange {
  readonly changeId: string | null;
  readonly changeRevision?: number | undefined;
}

export async function newestChange(content: ContentBackend): Promise<NewestChange> {
  const [newest] = await content.changes({ limit: 1 });
  return newest === undefined ? { changeId: null } : { changeId: newest.id, changeRevision: newest.revision };
}

/** Point up to which the assistant has looked: a change, or a time (epoch milliseconds). */
export type Horizon = NewestChange | { readonly time: number };

/**
 * Lines about what others have changed since, one for each thing, the newest last.
 * @param isOwn changes that the conversation shows by itself
 */
export async function othersLines(
  content: ContentBackend,
  since: Horizon,
  isOwn: (change: ChangeSet) => boolean,
  timeZone: string | undefined,
): Promise<string[]> {
  const newest = await content.changes({ limit: MAX_CHANGES });
  const changes = ('time' in since ? newest.filter(({ createdAt }) => createdAt > since.time) : until(newest, since))
    .filter((change) => !isOwn(change))
    .toReversed();
  const things = Map.groupBy(changes, thingOf);
  const newestThings = [...things.values()].slice(-MAX_THINGS);
  const lines = fitting(
    newestThings.map((those) => thingLine(those, timeZone)).toReversed(),
    OTHERS_TOKENS,
  ).toReversed();
  const left = things.size - lines.length;
  return left === 0 ? lines : [`${left} more ${left === 1 ? 'thing' : 'things'}: see list_revisions`, ...lines];
}

function until(
  changes: readonly ChangeSet[],
  { changeId, changeRevision = Infinity }: NewestChange,
): readonly ChangeSet[] {
  const end = changes.findIndex(({ id }) => id === changeId);
  if (end === -1) return changes;
  const hasGoneOn = (changes[end]?.revision ?? 0) > changeRevision;
  return changes.slice(0, hasGoneOn ? end + 1 : end);
}

/** Subject of a change: the section whose fields it sets, or else all of its target. */
function thingOf({ targetId, operations }: ChangeSet): string {
  const sections = new Set(operations.map((operation) => (operation.op === 'set-section' ? operation.sectionId : '')));
  const [section = ''] = sections;
  return sections.size === 1 && section !== '' ? `${targetId} ${section}` : targetId;
}

/** Characters of a text that was written, as a line tells it. */
const TEXT_CHARS = 60;

/** The text that a change wrote, where it wrote one alone. */
function writtenText({ action, operations: [operation, ...others] }: ChangeSet): string {
  if (action === 'undo' || operation?.op !== 'set-section' || others.length > 0) return '';
  const [text, ...more] = Object.values(operation.fields);
  return typeof text === 'string' && more.length === 0 ? `: "${oneLine(text, TEXT_CHARS)}"` : '';
}

const BY: Readonly<Record<ChangeActor, string>> = {
  assistant: 'by the assistant, where you do not see it',
  user: 'by hand',
  api: 'through the API',
  import: 'by an import',
  schedule: 'as planned',
  external: 'in its own CMS',
  seed: 'with the examples',
};

function thingLine(changes: readonly ChangeSet[], timeZone: string | undefined): string {
  const newest = changes.at(-1)!;
  const { origin, createdAt } = newest;
  const done = [...new Set(changes.map(({ summary }) => summary))];
  const told = done.length > 2 ? [`${done.length - 2} earlier changes`, ...done.slice(-2)] : done;
  const who = origin.userName === undefined ? '' : `${origin.userName}, `;
  const clock = { hour: '2-digit', minute: '2-digit', ...(timeZone !== undefined && { timeZone }) } as const;
  const when = new Intl.DateTimeFormat('en-GB', clock).format(createdAt);
  return line(`${thingOf(newest)}: ${told.join('; ')}${writtenText(newest)} (${who}${BY[origin.actor]}, ${when})`);
}
