import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FormerMarkup } from '#server/blocks/compose-content';
import { contentOf, type KnownSegment } from '#server/blocks/read-segments';
import { coreOf, silenceIn } from '#server/blocks/invisible-content';
import type { EntryDocument, Section } from '#server/core/content';
import { type JsonValue, sameJson, toJson } from '#server/core/json';
import type { Shape } from '#server/core/shapes';
import { isSameTime, marksOfFields, type RemoteState } from '#server/wordpress/remote-document';
import {
  type KnownEntry,
  knownEntryOf,
  knownEntrySchema,
  type KnownFields,
  type LinkReader,
  type MirrorTransaction,
  remoteTypeOf,
  type SiteAccess,
} from '#server/wordpress/mirror';
import { readKnown } from '#server/blocks/align-sections';
import { canonicalDocument } from '#server/content/entry-document';
import { readAddressBook } from '#server/wordpress/address-book';
import type { RemoteRevision } from '#server/wordpress/client/wordpress-client';
import type { Version } from '#server/core/changes';
import { NotFoundError, SiteUnavailableError } from '#server/core/errors';
import { createShortId } from '#server/core/ids';

/** A section of a former state; its markup is kept by hash. */
const pastBlockSchema = z.object({
  sectionId: z.string(),
  /** Stands for its type and fields. */
  key: z.string(),
  raw: z.string(),
  /** Hash of its markup without what shows nothing around it. */
  core: z.string(),
});
const pastSchema = knownEntrySchema
  .omit({ blocks: true })
  .extend({ blocks: z.array(pastBlockSchema), /** All that shows nothing between sections. */ silence: z.string() });
type PastEntry = Shape<typeof pastSchema>;

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function keyOf({ type, fields }: Pick<Section, 'type' | 'fields'>): string {
  return hashOf(JSON.stringify([type, fields]));
}

/** A state with its texts by hash. */
function asPast(known: KnownEntry): { readonly past: PastEntry; readonly texts: ReadonlyMap<string, string> } {
  const texts = new Map<string, string>();
  const kept = (text: string) => {
    const hash = hashOf(text);
    texts.set(hash, text);
    return hash;
  };
  const blocks = known.blocks.map((block) => ({
    sectionId: block.sectionId,
    key: keyOf(block),
    raw: kept(block.raw),
    core: kept(coreOf(block.raw)),
  }));
  return { past: { ...known, blocks, silence: silenceIn(contentOf(known.blocks)) }, texts };
}

/** Keeps how an entry was before a write to it. */
export async function keepPast(tx: MirrorTransaction, localId: string, known: KnownEntry): Promise<void> {
  const { past, texts } = asPast(known);
  await tx.keepPast(localId, toJson(past), texts);
}

type Same<T> = (one: T, other: T) => boolean;

/**
 * WordPress's value when it last meant this, `states` from the newest on. Undefined: it never did, or somebody has
 * changed it there since in a way that our fields do not show.
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

/** Former state of a WordPress entry that was what it is to become. */
export interface EntryPast {
  /** The whole content, of just these sections; null: as a whole it never was so. */
  readonly blocks: readonly KnownSegment[] | null;
  /** Markup of a section. */
  readonly markup: FormerMarkup;
  /** Fields; those that are left out never were so. */
  readonly fields: { readonly [Name in keyof KnownFields]?: KnownFields[Name] | undefined };
  /** Slug there. */
  readonly slug: string | undefined;
}

/** The past of an entry of which nothing is known. */
export const NO_PAST: EntryPast = { blocks: null, markup: () => undefined, fields: {}, slug: undefined };

type Standing = Pick<RemoteState, 'status' | 'date' | 'marks'>;

function sameStanding(one: Standing, other: Standing): boolean {
  const isSame = one.status === other.status && sameJson(one.marks ?? [], other.marks ?? []);
  return isSame && isSameTime(one.date, other.date);
}

/** Tells whether an entry's date says when visitors see it, or have seen it; the date of a draft is only a guess. */
export function isDated({ status }: Pick<KnownFields, 'status'>): boolean {
  return status === 'publish' || status === 'future' || status === 'private';
}

function standingFields({ fields }: PastEntry) {
  if (fields === undefined) return null;
  const { status, password, sticky } = fields;
  return { status, password, sticky, dateGmt: isDated(fields) ? fields.dateGmt : null };
}

function fieldsOf(states: readonly PastEntry[], wanted: RemoteState): EntryPast['fields'] {
  const { document } = wanted;
  const standing = former<Standing, ReturnType<typeof standingFields>>(
    states,
    wanted,
    ({ status, date, fields }) => ({ status, date, marks: fields && marksOfFields(fields) }),
    standingFields,
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
  // A draft that has none yet is given one when it is published: that is nobody's change.
  const isSameSlug = (one: string, other: string) => one === other || one === '' || other === '';
  const local = (state: PastEntry) => state.document.slug;
  return former(states, document.slug, local, ({ slug }) => slug, [sameJson, isSameSlug]);
}

/** The hash of a section's markup when it last said this. */
function coreFor(states: readonly PastEntry[], section: Section): string | undefined {
  const block = (state: PastEntry) => state.blocks.find(({ sectionId }) => sectionId === section.id);
  const local = (state: PastEntry) => block(state)?.key ?? null;
  return former(states, keyOf(section), local, (state) => block(state)?.core);
}

/** The newest former state that was made of just these sections, if nothing in it was changed unseen since. */
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
    found.silence === states[0]?.silence &&
    sections.every((section, n) => coreFor(states, section) === found.blocks[n]?.core);
  return isAsItWas ? found : undefined;
}

/**
 * Looks up what WordPress had when an entry was what it is to become.
 * @param known how it is there now; null: it is gone for good
 */
export async function readPast(
  reader: Pick<LinkReader, 'past' | 'texts'>,
  localId: string,
  known: KnownEntry | null,
  wanted: RemoteState,
): Promise<EntryPast> {
  const stored = (await reader.past(localId)).flatMap((past: JsonValue) => pastSchema.safeParse(past).data ?? []);
  if (stored.length === 0) return NO_PAST;
  const states = known === null ? stored : [asPast(known).past, ...stored];
  const { sections } = wanted.document;
  const whole = wholeFor(states, sections);
  const cores = new Map(sections.map((section) => [section.id, coreFor(states, section)]));
  const hashes = [...cores.values(), ...(whole?.blocks ?? []).map(({ raw }) => raw)];
  const texts = await reader.texts([...new Set(hashes)].filter((hash) => hash !== undefined));
  const raws = known !== null && whole === states[0] ? [] : (whole?.blocks ?? []).map(({ raw }) => texts.get(raw));
  const blocks = sections.flatMap(({ id: sectionId, type, fields }, n): KnownSegment[] => {
    const raw = raws[n];
    return raw === undefined ? [] : [{ sectionId, type, fields, raw }];
  });
  return {
    blocks: blocks.length === sections.length && raws.length > 0 ? blocks : null,
    markup: ({ id }) => texts.get(cores.get(id) ?? ''),
    fields: fieldsOf(states, wanted),
    slug: slugOf(states, wanted),
  };
}

/**
 * WordPress's revisions of an entry from before it was mirrored. Their numbers are WordPress's, negated: ours count
 * from 1.
 */
export interface OwnRevisions {
  /** Newest first, the newest hundred; none where WordPress cannot be reached. */
  list(entryId: string): Promise<Version[]>;
  /** The draft with the title, texts and, of a post, the excerpt of then. @throws NotFoundError */
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
  return {
    revision: -id,
    action: 'update',
    summary: 'Saved in WordPress',
    actor: 'external',
    createdAt: modifiedGmt,
    title,
    isPublished: false,
  };
}
