import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FormerMarkup } from '#server/wordpress/blocks/compose-content';
import { contentOf, type KnownSegment } from '#server/wordpress/blocks/read-segments';
import { coreOf, silenceIn } from '#server/wordpress/blocks/invisible-content';
import { meaningOf, saysTheSame } from '#server/wordpress/blocks/markup-meaning';
import type { EntryDocument, Section, SectionContent } from '#server/core/site/content';
import { type JsonValue, sameJson, toJson } from '#server/core/json';
import type { Shape } from '#server/core/shapes';
import { isSameTime, marksOfFields, type RemoteState } from '#server/wordpress/mirror/remote-document';
import {
  type KnownEntry,
  knownEntryOf,
  knownEntrySchema,
  type KnownFields,
  type LinkReader,
  type MirrorTransaction,
  remoteTypeOf,
  type SiteAccess,
  type PastReader,
} from '#server/wordpress/mirror/mirror';
import { readKnown } from '#server/wordpress/blocks/align-sections';
import { canonicalDocument } from '#server/site/entry-document';
import { readAddressBook } from '#server/wordpress/mirror/address-book';
import type { RemoteRevision } from '#server/wordpress/client/wordpress-client';
import type { Version } from '#server/core/site/changes';
import { NotFoundError, SiteUnavailableError } from '#server/core/errors';
import { createShortId } from '#server/core/ids';
import { messageOfText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';

/** A section of a former state; its markup is stored by hash. */
const pastBlockSchema = z.object({
  sectionId: z.string(),
  /** Key for its type and fields. */
  key: z.string(),
  raw: z.string(),
  /** Hash of its markup without the invisible markup around it. */
  core: z.string(),
  /** Hash of what that says, where it is another one; absent in states of before it was kept, too. */
  meaning: z.string().optional(),
});
type PastBlock = Shape<typeof pastBlockSchema>;
const pastSchema = knownEntrySchema
  .omit({ blocks: true })
  .extend({ blocks: z.array(pastBlockSchema), /** All invisible markup between sections. */ silence: z.string() });
type PastEntry = Shape<typeof pastSchema>;

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function keyOf({ type, fields }: SectionContent): string {
  return hashOf(JSON.stringify([type, fields]));
}

/** A state whose texts are replaced by their hashes. */
function asPast(known: KnownEntry): { readonly past: PastEntry; readonly texts: ReadonlyMap<string, string> } {
  const texts = new Map<string, string>();
  const kept = (text: string) => {
    const hash = hashOf(text);
    texts.set(hash, text);
    return hash;
  };
  const blocks = known.blocks.map((block) => {
    const core = coreOf(block.raw);
    const meaning = meaningOf(core).text;
    return {
      sectionId: block.sectionId,
      key: keyOf(block),
      raw: kept(block.raw),
      core: kept(core),
      ...(meaning !== core && { meaning: hashOf(meaning) }),
    };
  });
  return { past: { ...known, blocks, silence: silenceIn(contentOf(known.blocks)) }, texts };
}

/** Stores the state of an entry before a write to it. */
export async function keepPast(tx: MirrorTransaction, localId: string, known: KnownEntry): Promise<void> {
  const { past, texts } = asPast(known);
  await tx.keepPast(localId, toJson(past), texts);
}

type Same<T> = (one: T, other: T) => boolean;

/**
 * WordPress's value when it last corresponded to the wanted one, searching `states` from the newest. Undefined: it
 * never did, or it has since been changed there in a way that our fields do not show.
 */
function former<Local, Remote>(
  states: readonly PastEntry[],
  wanted: Local,
  local: (state: PastEntry) => Local,
  remote: (state: PastEntry) => Remote,
  [isSameLocal, isSameRemote]: readonly [Same<Local>, Same<Remote>] = [sameJson, sameJson],
): Remote | undefined {
  for (const [index, state] of states.entries()) {
    const later = states[index - 1];
    const isHidden =
      later !== undefined && isSameLocal(local(state), local(later)) && !isSameRemote(remote(state), remote(later));
    if (isHidden) return undefined;
    if (isSameLocal(local(state), wanted)) return remote(state);
  }
  return undefined;
}

/** Former state of a WordPress entry that equalled the wanted state. */
export interface EntryPast {
  /** The whole content, with exactly these sections; null: the whole content never had exactly these. */
  readonly blocks: readonly KnownSegment[] | null;
  /** Markup of a section. */
  readonly markup: FormerMarkup;
  /** Fields; those that never had the wanted value are omitted. */
  readonly fields: { readonly [Name in keyof KnownFields]?: KnownFields[Name] | undefined };
  /** Slug in WordPress. */
  readonly slug: string | undefined;
}

/** The past of an entry without a known history. */
export const NO_PAST: EntryPast = { blocks: null, markup: () => undefined, fields: {}, slug: undefined };

type Standing = Pick<RemoteState, 'status' | 'date' | 'marks'>;

function sameStanding(one: Standing, other: Standing): boolean {
  const isSame = one.status === other.status && sameJson(one.marks ?? [], other.marks ?? []);
  return isSame && isSameTime(one.date, other.date);
}

/**
 * True if an entry's date is the time at which it becomes, or became, visible to visitors; the date of a draft is only
 * an estimate.
 */
export function isDated({ status }: { readonly status: KnownFields['status'] }): boolean {
  return status === 'publish' || status === 'future' || status === 'private';
}

/**
 * True if an entry has the date that a state has, or had it while visible. In WordPress, a draft that was never
 * published has no date; REST returns the time of its last change.
 */
function hasOwnDate(states: readonly PastEntry[], { fields }: Pick<PastEntry, 'fields'>): boolean {
  const isSame = (state: PastEntry) => state.fields !== undefined && state.fields.dateGmt === fields?.dateGmt;
  return states.some((state) => isSame(state) && isDated(state.fields!));
}

function standingFields(states: readonly PastEntry[], state: PastEntry) {
  const { fields } = state;
  if (fields === undefined) return null;
  const { status, password, sticky, dateGmt } = fields;
  return { status, password, sticky, dateGmt: hasOwnDate(states, state) ? dateGmt : null };
}

function fieldsOf(states: readonly PastEntry[], wanted: RemoteState): EntryPast['fields'] {
  const { document } = wanted;
  const standing = former<Standing, ReturnType<typeof standingFields>>(
    states,
    wanted,
    ({ status, date, fields }) => ({ status, date, marks: fields && marksOfFields(fields) }),
    (state) => standingFields(states, state),
    [sameStanding, sameJson],
  );
  const field = <Name extends keyof KnownFields>(
    name: Name,
    of: 'title' | 'excerpt' | 'tags' | 'parent' | 'image' | 'seo' | 'terms',
  ) =>
    former(
      states,
      document[of] ?? null,
      (state) => state.document[of] ?? null,
      (state) => state.fields?.[name],
    );
  return {
    ...standing,
    title: field('title', 'title'),
    excerpt: field('excerpt', 'excerpt'),
    tagIds: field('tagIds', 'tags'),
    parentRemoteId: field('parentRemoteId', 'parent'),
    featuredMedia: field('featuredMedia', 'image'),
    seo: field('seo', 'seo'),
    terms: field('terms', 'terms'),
  };
}

function slugOf(states: readonly PastEntry[], { document }: RemoteState): string | undefined {
  // A draft without a slug gets one when it is published; this does not count as a change by a person.
  const isSameSlug = (one: string, other: string) => one === other || one === '' || other === '';
  const local = (state: PastEntry) => state.document.slug;
  return former(states, document.slug, local, ({ slug }) => slug, [sameJson, isSameSlug]);
}

/** Tells whether the markup of two states of a section says the same. */
function sameCore(one: PastBlock | undefined, other: PastBlock | undefined): boolean {
  if (one?.core === other?.core) return true;
  return one !== undefined && other !== undefined && (one.meaning ?? one.core) === (other.meaning ?? other.core);
}

/** A section when it last had these fields. */
function blockFor(states: readonly PastEntry[], section: Section): PastEntry['blocks'][number] | undefined {
  const block = (state: PastEntry) => state.blocks.find(({ sectionId }) => sectionId === section.id);
  const local = (state: PastEntry) => block(state)?.key ?? null;
  return former(states, keyOf(section), local, block, [sameJson, sameCore]);
}

/**
 * The newest former state that consisted of exactly these sections, unless something invisible in it has changed since.
 */
function wholeFor(states: readonly PastEntry[], sections: readonly Section[]): PastEntry | undefined {
  const wanted = sections.map((section) => [section.id, keyOf(section)]);
  const found = states.find(({ blocks }) =>
    sameJson(
      blocks.map(({ sectionId, key }) => [sectionId, key]),
      wanted,
    ),
  );
  const isAsItWas =
    found !== undefined &&
    saysTheSame(found.silence, states[0]?.silence ?? '') &&
    sections.every((section, n) => sameCore(blockFor(states, section), found.blocks[n]));
  return isAsItWas ? found : undefined;
}

/** True if spacers and similar blocks are at the same sections as now, and these are in the same order. */
function hasSilencesInPlace(blocks: readonly KnownSegment[], known: KnownEntry | null): boolean {
  const ids = (list: readonly KnownSegment[]) => list.map(({ sectionId }) => sectionId);
  if (known === null || !sameJson(ids(blocks), ids(known.blocks))) return true;
  return blocks.every(({ raw }, n) => saysTheSame(silenceIn(raw), silenceIn(known.blocks[n]!.raw)));
}

/**
 * Finds WordPress's state from a time when an entry had the wanted state.
 * @param known its current state in WordPress; null: it was permanently deleted
 */
export async function readPast(
  reader: PastReader,
  localId: string,
  known: KnownEntry | null,
  wanted: RemoteState,
): Promise<EntryPast> {
  const stored = (await reader.past(localId)).flatMap((past: JsonValue) => pastSchema.safeParse(past).data ?? []);
  if (stored.length === 0) return NO_PAST;
  const states = known === null ? stored : [asPast(known).past, ...stored];
  const { sections } = wanted.document;
  const whole = wholeFor(states, sections);
  const markups = new Map(sections.map((section) => [section.id, blockFor(states, section)?.raw]));
  const hashes = [...markups.values(), ...(whole?.blocks ?? []).map(({ raw }) => raw)];
  const texts = await reader.texts([...new Set(hashes)].filter((hash) => hash !== undefined));
  const raws = known !== null && whole === states[0] ? [] : (whole?.blocks ?? []).map(({ raw }) => texts.get(raw));
  const blocks = sections.flatMap(({ id: sectionId, type, fields }, n): KnownSegment[] => {
    const raw = raws[n];
    return raw === undefined ? [] : [{ sectionId, type, fields, raw }];
  });
  return {
    blocks: blocks.length === sections.length && raws.length > 0 && hasSilencesInPlace(blocks, known) ? blocks : null,
    markup: ({ id }) => texts.get(markups.get(id) ?? ''),
    fields: fieldsOf(states, wanted),
    slug: slugOf(states, wanted),
  };
}

/**
 * The date (epoch milliseconds) that WordPress will give one of our drafts when it is published again; undefined:
 * another one.
 */
export async function keptDate(
  reader: Pick<LinkReader, 'link' | 'past'>,
  localId: string,
): Promise<number | undefined> {
  const known = knownEntryOf(await reader.link(localId));
  const dateGmt = known?.fields?.dateGmt ?? null;
  if (known?.status !== 'draft' || dateGmt === null) return undefined;
  const states = (await reader.past(localId)).flatMap((past: JsonValue) => pastSchema.safeParse(past).data ?? []);
  return isDated(known.fields!) || hasOwnDate(states, known) ? dateGmt : undefined;
}

/**
 * WordPress's revisions of an entry from before it was mirrored. Their numbers are WordPress's, negated, because ours
 * count from 1.
 */
export interface OwnRevisions {
  /** The newest hundred, newest first; empty if WordPress cannot be reached. */
  list(entryId: string): Promise<Version[]>;
  /** The draft with the title, texts and, for a post, the excerpt of that revision. @throws NotFoundError */
  document(entryId: string, revision: number): Promise<EntryDocument>;
}

export function createOwnRevisions(site: SiteAccess): OwnRevisions {
  const { mirror, client } = site;

  async function readAll(entryId: string): Promise<RemoteRevision[]> {
    const link = await mirror.link(entryId);
    if (link === null || (link.kind !== 'page' && link.kind !== 'post')) return [];
    return client.entries.revisions(remoteTypeOf(link), link.remoteId);
  }

  return {
    async list(entryId) {
      const first = (await mirror.journalEntryAt(entryId, 1))?.change;
      if (first?.origin.actor !== 'external') return [];
      const revisions = await readAll(entryId).catch((error: unknown) => {
        if (error instanceof SiteUnavailableError) return [];
        throw error;
      });
      return revisions.filter(({ modifiedGmt }) => modifiedGmt < first.createdAt).map(versionOf);
    },

    async document(entryId, revision) {
      const [entry, link] = [await mirror.entry(entryId), await mirror.link(entryId)];
      const found = (await readAll(entryId)).find(({ id }) => id === -revision);
      if (entry === null || found === undefined) throw new NotFoundError('revision', String(revision));
      const book = await readAddressBook(mirror, site.siteUrl);
      const context = await book.contextFor([], found.contentRaw);
      const known = knownEntryOf(link)?.blocks ?? [];
      const blocks = readKnown(known, found.contentRaw, context, () => createShortId('sec'));
      return canonicalDocument({
        ...entry.draft,
        title: found.title || entry.draft.title,
        ...(entry.type === 'post' && { excerpt: found.excerpt || undefined }),
        sections: blocks.map(({ sectionId, type, fields }) => ({ id: sectionId, type, fields })),
      });
    },
  };
}

function versionOf({ id, title, modifiedGmt }: RemoteRevision): Version {
  const saved = serverText('journal-wordpress-saved');
  return {
    revision: -id,
    action: 'update',
    summary: saved.text,
    summaryMessage: messageOfText(saved),
    actor: 'external',
    createdAt: modifiedGmt,
    title,
    isPublished: false,
  };
}
