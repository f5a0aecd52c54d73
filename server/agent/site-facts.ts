import type { ContentBackend, EntrySummary } from '#server/content/content-backend';
import { oneLine } from '#server/context/excerpt';
import { countTokens } from '#server/context/tokens';
import {
  type ChangeActor,
  type ChangeSet,
  type EntryStatus,
  type EntryType,
  entryStatuses,
} from '#server/core/content';
import { foreignText } from '#server/core/engine-words';
import type { PartContent } from '#server/core/parts';

/** The site that a conversation works on. */
export interface SiteIdentity {
  readonly id: string;
  /** Address that visitors reach it at; null: not known here. */
  readonly address: string | null;
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

/** Date and time where the user is, or this server. */
export function nowLine(now: number, zone: string | undefined): string {
  const timeZone = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone }).format(now);
  const clock = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  return `Now: ${date}, ${new Intl.DateTimeFormat('en-GB', { ...clock, timeZone }).format(now)} (${timeZone})`;
}

/** Key of the line about one page. */
export const PAGE_KEY = 'page:';

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
  const { siteName } = await content.settings();
  const head = {
    site: line(`Site: "${siteName}"${site.address === null ? '' : `, ${site.address}`}`),
    ...(preview && { preview: await previewLine(content, preview) }),
  };
  const posts = await countLine(content, 'post', 'Posts');
  const { items, total } = await content.query({ type: 'page', sort: 'created', order: 'asc', limit: MAX_PAGES });
  const left = maxTokens - countTokens([...Object.values(head), posts].join('\n'));
  const shown = fitting(items.map(pageLine), left);
  const pages = items.slice(0, shown.length).map(({ id }, index) => [`${PAGE_KEY}${id}`, shown[index]!] as const);
  return {
    ...head,
    ...Object.fromEntries(pages),
    ...(shown.length < total && { pages: await countLine(content, 'page', shown.length > 0 ? 'All pages' : 'Pages') }),
    posts,
  };
}

function pageLine({ path, title, status }: EntrySummary): string {
  return line(`Page ${path} "${title}" ${status}`);
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

async function countLine(content: ContentBackend, type: EntryType, name: string): Promise<string> {
  const counts = await Promise.all(
    entryStatuses.map(async (status): Promise<[EntryStatus, number]> => {
      const { total } = await content.query({ type, status, limit: 1 });
      return [status, total];
    }),
  );
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const states = counts.filter(([, count]) => count > 0).map(([status, count]) => `${count} ${status}`);
  return `${name}: ${total}${states.length > 0 ? ` (${states.join(', ')})` : ''}`;
}

/** The newest change of the site; null: there is none. */
export async function newestChange(content: ContentBackend): Promise<string | null> {
  return (await content.changes({ limit: 1 }))[0]?.id ?? null;
}

/** How far the assistant has looked: up to a change, or up to a time (epoch milliseconds). */
export type Horizon = { readonly changeId: string | null } | { readonly time: number };

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
  const things = Map.groupBy(changes, ({ targetId }) => targetId);
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
  { changeId }: { readonly changeId: string | null },
): readonly ChangeSet[] {
  const end = changes.findIndex(({ id }) => id === changeId);
  return end === -1 ? changes : changes.slice(0, end);
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
  const { targetId, origin, createdAt } = changes.at(-1)!;
  const done = [...new Set(changes.map(({ summary }) => summary))];
  const told = done.length > 2 ? [`${done.length - 2} earlier changes`, ...done.slice(-2)] : done;
  const who = origin.userName === undefined ? '' : `${origin.userName}, `;
  const clock = { hour: '2-digit', minute: '2-digit', ...(timeZone !== undefined && { timeZone }) } as const;
  const when = new Intl.DateTimeFormat('en-GB', clock).format(createdAt);
  return line(`${targetId}: ${told.join('; ')} (${who}${BY[origin.actor]}, ${when})`);
}
