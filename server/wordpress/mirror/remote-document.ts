import { createHash } from 'node:crypto';
import { readKnown } from '#server/wordpress/blocks/align-sections';
import { canonicalDocument } from '#server/site/entry-document';
import { linkedAsset } from '#server/site/entry-links';
import { latinWords, slugFromTitle } from '#server/site/text/slug-from-title';
import { MAX_SLUG_LENGTH, SLUG_PATTERN } from '#server/core/site/document-fields';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import type { KnownEntry, KnownFields, Secrets } from '#server/wordpress/mirror/mirror';
import { type EntryDocument, type EntryMark, entryMarks, type Seo, sameDocument } from '#server/core/site/content';
import { sameJson } from '#server/core/json';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { contentOf, type KnownSegment } from '#server/wordpress/blocks/read-segments';
import { applyOperations } from '#server/site/document-operations';
import { type EntryState, marksOf, NO_SCHEDULE, type PublicationSchedule } from '#server/site/embedded/entry-state';
import { diffDocuments } from '#server/site/diff-documents';
import { pathsOf, pathsOverlap } from '#server/site/document-paths';

/** An entry in the state that was last sent to or read from WordPress. */
export type FormerEntry = Pick<
  KnownEntry,
  'slug' | 'document' | 'blocks' | 'fields' | 'madeTags' | 'madeTerms' | 'hiddenComments'
>;

/** Data of the rest of the site that is necessary for reading an entry of WordPress. */
export interface RemoteSurroundings {
  readonly context: BlockContext;
  /** Id of our page for its parent; undefined: it has none, or none that we know. */
  readonly parent: string | undefined;
  /** Our address of its cover; undefined: it has none, or none that we know. */
  readonly cover: string | undefined;
  newSectionId(): string;
  readonly secrets: Secrets;
}

const NO_TITLE = '(no title)';

/**
 * Hash of everything that is taken over, except the text of a password, which must not be guessable from the hash.
 * Equal for equal states.
 */
export function hashOf(remote: RemoteEntry): string {
  const { status, isSticky, titleRaw, contentRaw, excerptRaw, parentRemoteId, featuredMedia, tags } = remote;
  const slug = status === 'trash' ? '' : remote.slug;
  const shown = [status, remote.password !== '', isSticky, dateOf(remote)];
  const parts = [...shown, titleRaw, slug, contentRaw, excerptRaw, parentRemoteId, featuredMedia, tags];
  const { builder, seo, terms, custom, language } = remote;
  // Fields that most entries do not have leave the hash unchanged when they are empty.
  const rest = [
    ...(builder === '' ? [] : [builder]),
    ...(seo?.title || seo?.description ? [seo] : []),
    ...[terms, custom].filter((record) => Object.keys(record).length > 0),
    ...(language === null ? [] : [language]),
  ];
  return createHash('sha256')
    .update(JSON.stringify([...parts, ...rest]))
    .digest('hex');
}

/** True if an entry of WordPress is unchanged since it was last read. */
export function isAsKnown(known: KnownEntry | null, remote: RemoteEntry, { open }: Secrets): boolean {
  const sealed = known?.fields?.password ?? '';
  return known?.hash === hashOf(remote) && (sealed === '' || open(sealed) === remote.password);
}

/** Our status for an entry of WordPress: an entry that visitors see, even if with a password, is published. */
function statusOfRemote({ status }: RemoteEntry): RemoteState['status'] {
  if (status === 'trash') return 'trashed';
  if (status === 'future') return 'planned';
  return status === 'publish' ? 'published' : 'draft';
}

/** Marks of a WordPress entry, for states that ours do not cover. */
export function marksOfFields(fields: KnownFields) {
  const { status, password, sticky, builder } = fields;
  const isSo: Record<EntryMark, boolean> = {
    private: status === 'private',
    password: password !== '',
    pending: status === 'pending',
    sticky,
    'read-only': builder !== '',
  };
  return entryMarks.filter((mark) => isSo[mark]);
}

/** Publication date; for a draft, WordPress only estimates it. */
function dateOf(remote: RemoteEntry): number | null {
  const status = statusOfRemote(remote);
  return status === 'published' || status === 'planned' ? remote.dateGmt : null;
}

/** A slug that is valid for us, made from that of WordPress. */
function localSlug({ slug, suggestedSlug, title, type, remoteId }: RemoteEntry): string {
  const given = slug || suggestedSlug;
  if (given.length <= MAX_SLUG_LENGTH && SLUG_PATTERN.test(given)) return given;
  return latinWords(given) || slugFromTitle(given || title || `${type} ${remoteId}`, type);
}

function slugOf(remote: RemoteEntry, former: FormerEntry | null): string {
  const isKept = former !== null && (remote.slug === former.slug || remote.status === 'trash');
  return isKept ? former.document.slug : localSlug(remote);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [a, b].map((names) =>
    names
      .map((name) => name.toLowerCase())
      .toSorted()
      .join('\n'),
  );
  return one === other;
}

function tagsOf(remote: RemoteEntry, former: readonly string[] | undefined): readonly string[] | undefined {
  if (remote.type === 'page' || sameNames(remote.tags, former ?? [])) return former;
  return remote.tags.length === 0 ? undefined : [...remote.tags];
}

/** Key among an entry's groups under which Polylang's language is shown: Polylang keeps it as a taxonomy of this name. */
export const LANGUAGE = 'language';

/** Names of its groups; groups that are the same in WordPress keep their earlier names here. */
function termsOf({ terms, language }: RemoteEntry, former: FormerEntry | null): EntryDocument['terms'] {
  const before = former?.document.terms;
  const isAsBefore =
    former?.fields === undefined
      ? before === undefined && language === null
      : sameJson(former.fields.terms, terms) && (former.fields.language ?? null) === language;
  if (former !== null && isAsBefore) return before;
  const names = [
    ...Object.entries(terms).map(([taxonomy, all]) => [taxonomy, all.map(({ name }) => name)] as const),
    ...(language === null ? [] : [[LANGUAGE, [language]] as const]),
  ];
  const isKept = (taxonomy: string, all: readonly string[]) => sameNames(all, before?.[taxonomy] ?? []);
  return Object.fromEntries(
    names.map(([taxonomy, all]) => [taxonomy, isKept(taxonomy, all) ? (before?.[taxonomy] ?? all) : all]),
  );
}

function excerptOf(remote: RemoteEntry, former: string | undefined): string | undefined {
  if (remote.type === 'page' || remote.excerpt === (former ?? '').trim()) return former;
  return remote.excerpt === '' ? undefined : remote.excerpt;
}

/** A cover outside the library exists only on our side: WordPress then has none. */
function coverOf(remote: RemoteEntry, former: string | undefined, cover: string | undefined): string | undefined {
  const isOurs = former !== undefined && linkedAsset(former) === null;
  if (remote.featuredMedia === null) return isOurs ? former : undefined;
  const isSame = former !== undefined && cover !== undefined && linkedAsset(former) === linkedAsset(cover);
  return isSame ? former : cover;
}

/** Texts for search engines that our rules accept; instead of the others, ours are kept. */
function seoOf({ seo }: RemoteEntry, former: Seo | undefined): Seo | undefined {
  if (seo === null) return former;
  const line = (text: string, most: number) => text.replaceAll(/\s+/g, ' ').trim().slice(0, most);
  return { ...former, title: line(seo.title, 200), description: line(seo.description, 500) };
}

function blocksOf(remote: RemoteEntry, former: FormerEntry | null, world: RemoteSurroundings): KnownSegment[] {
  const known = former?.blocks ?? [];
  if (former !== null && remote.contentRaw === contentOf(known)) return [...known];
  return readKnown(known, remote.contentRaw, world.context, () => world.newSectionId());
}

function fieldsOf(remote: RemoteEntry, former: FormerEntry | null, { secrets }: RemoteSurroundings): KnownFields {
  const { status, password, isSticky, titleRaw, excerptRaw, dateGmt, tagIds, parentRemoteId, featuredMedia } = remote;
  const sealed = former?.fields?.password ?? '';
  const isSame = sealed !== '' && secrets.open(sealed) === password;
  return {
    // An entry in the trash is restored with its former status.
    status: status === 'trash' ? (former?.fields?.status ?? 'draft') : status,
    password: password === '' ? '' : isSame ? sealed : secrets.seal(password),
    sticky: isSticky,
    title: titleRaw,
    excerpt: excerptRaw,
    dateGmt,
    tagIds: [...tagIds],
    parentRemoteId,
    featuredMedia,
    builder: remote.builder,
    seo: remote.seo,
    terms: remote.terms,
    custom: remote.custom,
    language: remote.language,
  };
}

/** Reads an entry of WordPress in our terms; values that only the mirror stores are kept. */
export function readRemote(
  remote: RemoteEntry,
  former: FormerEntry | null,
  world: RemoteSurroundings,
): { readonly state: RemoteState; readonly known: KnownEntry } {
  const blocks = blocksOf(remote, former, world);
  const before = former?.document;
  const { sections, ...document } = canonicalDocument({
    title: remote.title || (before?.title ?? NO_TITLE),
    slug: slugOf(remote, former),
    excerpt: excerptOf(remote, before?.excerpt),
    author: before?.author,
    tags: tagsOf(remote, before?.tags),
    image: coverOf(remote, before?.image, world.cover),
    parent: remote.type === 'page' ? world.parent : undefined,
    seo: seoOf(remote, before?.seo),
    kind: remote.kind === null ? undefined : (before?.kind ?? remote.kind.name),
    terms: termsOf(remote, former),
    custom: remote.custom,
    sections: blocks.map(({ sectionId, type, fields }) => ({ id: sectionId, type, fields })),
  } satisfies Record<keyof EntryDocument, unknown>);
  const [status, date] = [statusOfRemote(remote), dateOf(remote)];
  return {
    state: {
      document: { ...document, sections },
      status,
      date,
      marks: marksOfFields({ ...remote, sticky: remote.isSticky }),
    },
    known: {
      modified: remote.modifiedGmt,
      hash: hashOf(remote),
      status,
      slug: remote.slug,
      address: remote.link,
      addressTemplate: remote.addressTemplate,
      date,
      document,
      blocks,
      fields: fieldsOf(remote, former, world),
      ...(former?.madeTags !== undefined && { madeTags: former.madeTags }),
      ...(former?.madeTerms !== undefined && { madeTerms: former.madeTerms }),
      ...(remote.kind !== null && { kind: remote.kind }),
      ...(status === 'trashed' && { hiddenComments: former?.hiddenComments }),
    },
  };
}

/** The document in WordPress, in our terms. */
export function documentOf({ document, blocks }: Pick<KnownEntry, 'document' | 'blocks'>): EntryDocument {
  return { ...document, sections: blocks.map(({ sectionId, type, fields }) => ({ id: sectionId, type, fields })) };
}

/** An entry of WordPress in our terms. */
export interface RemoteState {
  readonly document: EntryDocument;
  readonly status: 'draft' | 'published' | 'planned' | 'trashed';
  /** Epoch milliseconds, whole seconds, for a published or scheduled entry. */
  readonly date: number | null;
  readonly marks?: readonly EntryMark[] | undefined;
}

/** Two clocks are rarely at the same second. */
const SAME_TIME_MS = 60_000;

/** True if two times are equal, up to the difference between two clocks or of rounding to seconds. */
export function isSameTime(ours: number | null, theirs: number | null): boolean {
  return ours === null || theirs === null ? ours === theirs : Math.abs(ours - theirs) < SAME_TIME_MS;
}

function timeOf(ours: number | null | undefined, theirs: number): number {
  return ours !== null && ours !== undefined && isSameTime(ours, theirs) ? ours : theirs;
}

/** A draft that only the mirror has, rebased on changes in WordPress: where both changed something, the draft wins. */
function rebasedDraft(draft: EntryDocument, base: EntryDocument, theirs: EntryDocument): EntryDocument {
  if (sameDocument(draft, base)) return theirs;
  const ours = pathsOf(diffDocuments(base, draft));
  let merged = draft;
  for (const operation of diffDocuments(base, theirs)) {
    if (pathsOverlap(ours, pathsOf([operation]))) continue;
    try {
      merged = applyOperations(merged, [operation]).document;
    } catch {
      // Values that our own rules would refuse never enter a draft by themselves; the published version shows them.
    }
  }
  return merged;
}

/** State of the mirror after WordPress changed from `base` to `remote`. */
export function absorbed(
  state: EntryState | null,
  base: EntryDocument | null,
  remote: RemoteState,
  now: number,
): EntryState {
  const { document, status, date } = remote;
  if (status === 'trashed') {
    const before = state ?? { draft: document, published: null, publishedAt: null, deletedAt: null };
    return { ...before, ...NO_SCHEDULE, deletedAt: before.deletedAt ?? now };
  }
  const draft = state === null || base === null ? document : rebasedDraft(state.draft, base, document);
  return {
    draft,
    published: status === 'published' ? document : null,
    publishedAt: status === 'published' ? timeOf(state?.publishedAt, date ?? now) : null,
    ...planOf(state, base, remote),
    deletedAt: null,
    ...marksOf(remote.marks),
  };
}

/** The schedule of a published entry, which only the mirror has. */
function planOf(
  state: EntryState | null,
  base: EntryDocument | null,
  { document, status, date }: RemoteState,
): PublicationSchedule {
  if (status === 'planned' && date !== null) return { publishAt: timeOf(state?.publishAt, date), planned: document };
  if (status !== 'published' || state === null || state.published === null || state.publishAt === null)
    return NO_SCHEDULE;
  const planned = state.planned ?? state.draft;
  return { publishAt: state.publishAt, planned: base === null ? planned : rebasedDraft(planned, base, document) };
}
