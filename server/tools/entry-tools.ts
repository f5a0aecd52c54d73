import { z } from 'zod';
import type { ContentBackend } from '#server/site/content-backend';
import type { EntryItem } from '#server/core/site/site-lists';
import type { Entry, PatchOp, Seo } from '#server/core/site/content';
import { ConflictError, InvalidInputError, ThroughlineError } from '#server/core/errors';
import { type JsonValue, toJson } from '#server/core/json';
import {
  draftEffect,
  effect,
  entryTarget,
  removalConsequences,
  summaryOf,
  warningsOf,
  withoutNewIds,
} from '#server/tools/effects';
import { wholeResult } from '#server/tools/long-texts';
import { assetIdIn, assetResult, assetTrashEffect } from '#server/tools/media-tools';
import { CHANGED_STATUS_MEANING, entryResult, SCHEDULED_COPY_NOTE, referenceLine } from '#server/tools/result-fields';
import { isoDay, isoTime, readPublicationTime } from '#server/tools/times';
import {
  entryTypeInput,
  fieldsInput,
  namedInput,
  parentInput,
  refInput,
  resolveEntry,
  sectionTypeInput,
  seoInput,
  tagsInput,
  titleInput,
} from '#server/tools/schemas';
import { defineTool, type EffectContext, type ToolContext } from '#server/tools/tool';
import { checkDocumentField } from '#server/site/entry-document';
import { nothingToPublish } from '#server/site/change-summary';
import { documentChanges } from '#server/site/field-changes';
import { oneLine, shortTitle } from '#server/core/text/short-text';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { distinctTexts, uncodedText, textsOfNotes } from '#server/core/message-data';

/** Lists pages or posts, one compact line each. */
export const listContent = defineTool({
  name: 'list_content',
  description: 'List pages or posts.',
  maxOutputChars: 16_000,
  input: z.strictObject({
    type: entryTypeInput,
    status: z.enum(['draft', 'published', 'changed', 'trashed']).optional(),
    planned: z.boolean().optional(),
    tag: z.string().optional(),
    parent: refInput.optional(),
    sort: z.enum(['updated', 'published', 'title']).optional(),
    limit: z.int().min(1).max(100).optional().describe('default 50'),
    cursor: z.string().min(1).optional(),
  }),
  async execute({ parent, status, planned, ...query }, { content }) {
    const parentId = parent === undefined ? undefined : (await resolveEntry(content, parent)).id;
    const { items, total, nextCursor } = await content.query({
      ...query,
      select: ['author', 'tags', 'terms'],
      parent: parentId,
      ...(status === 'trashed' ? { state: status } : { status }),
      ...(planned === true && { scheduled: true, sort: query.sort ?? 'scheduled' }),
    });
    return {
      ...(items.some((item) => item.status === 'changed') && { statuses: `changed: ${CHANGED_STATUS_MEANING}` }),
      ...(planned === true && { now: isoTime(Date.now()) }),
      total,
      // The cursor comes first, so that a list that is cut at its end keeps it.
      ...(nextCursor !== null && { cursor: nextCursor }),
      items: items.map((item) => ({ ...entryLine(item), ...(status === 'trashed' && { status }) })),
    };
  },
});

/** Longest excerpt in a list, in characters. */
const LISTED_EXCERPT = 120;

/** One entry in a list: the fields that distinguish it from the others. */
function entryLine(item: EntryItem): Record<string, JsonValue> {
  const { id, title, slug, path, parent, status, excerpt = '', publishAt, publishedAt, updatedAt } = item;
  const { author = '', tags = [], terms = {} } = item.selected ?? {};
  return {
    id,
    title,
    slug,
    ...(parent !== undefined && { path }),
    status,
    ...(item.kind !== undefined && { kind: item.kind }),
    ...(Object.keys(terms).length > 0 && { terms: toJson(terms) }),
    ...(item.marks !== undefined && { alsoIs: [...item.marks] }),
    ...(publishAt !== null && { publishAt: isoTime(publishAt) }),
    ...(item.isPlanOlder && { plan: 'without newer edits of the draft' }),
    ...(publishedAt === null ? { updated: isoDay(updatedAt) } : { published: isoDay(publishedAt) }),
    ...(author !== '' && { author }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(excerpt !== '' && { excerpt: oneLine(excerpt, LISTED_EXCERPT) }),
    sections: item.sectionCount,
  };
}

/** A section of a new entry. A section copied from another entry may still have its id; it gets a new one. */
const newSectionInput = z.preprocess(
  (section) => {
    if (typeof section !== 'object' || section === null || Array.isArray(section)) return section;
    return Object.fromEntries(Object.entries(section).filter(([name]) => name !== 'id'));
  },
  z.strictObject({ type: sectionTypeInput, fields: fieldsInput.optional().describe('see describe_sections') }),
);

const newEntryInput = z.strictObject({
  type: entryTypeInput,
  title: titleInput,
  slug: z.string().min(1).max(120).optional(),
  excerpt: z.string().max(500).optional().describe('one or two sentences'),
  author: z.string().max(120).optional(),
  tags: tagsInput,
  image: z.string().optional().describe('URL'),
  parent: parentInput,
  seo: seoInput,
  terms: namedInput,
  sections: z.array(newSectionInput).max(50).optional(),
});

/** The entry that a call describes, in the form of the CMS adapter. */
async function newEntry({ sections, parent, terms, ...entry }: z.infer<typeof newEntryInput>, content: ContentBackend) {
  const parentId = parent === undefined || parent === '' ? undefined : (await resolveEntry(content, parent)).id;
  const groups = terms === undefined ? undefined : checkDocumentField('terms', terms);
  return {
    ...entry,
    parent: parentId,
    terms: groups,
    sections: sections?.map(({ type, fields }) => ({ type, fields: fields ?? {} })),
  };
}

/** Creates a page or post as a draft, with its first sections if they are given. */
export const createContent = defineTool({
  name: 'create_content',
  description: 'Create a draft page or post.',
  input: newEntryInput,
  writes: true,
  async effect(input, { content, origin }) {
    const { entry, ...notes } = await content.create(await newEntry(input, content), origin, { dryRun: true });
    const { type, draft } = entry;
    return effect({
      summary: serverText('create-draft', { type, title: draft.title }),
      targets: [],
      changes: withoutNewIds(documentChanges(null, draft), null),
      warnings: textsOfNotes(notes),
    });
  },
  async execute(input, { content, origin }) {
    const change = await content.create(await newEntry(input, content), origin);
    const path = await content.pathOf(change.entry, 'draft');
    return entryResult(change, {
      ...(path !== `/${change.entry.draft.slug}` && { path }),
      sections: change.entry.draft.sections.map((section) => ({
        id: section.id,
        type: section.type,
        ...wholeResult(section),
      })),
    });
  },
});

const details = z.strictObject({
  title: titleInput.optional(),
  slug: z.string().max(120).optional(),
  excerpt: z.string().max(500).optional(),
  author: z.string().max(120).optional(),
  tags: tagsInput.describe('replaces all'),
  image: z.string().optional().describe('URL'),
  parent: parentInput,
  seo: seoInput,
  terms: namedInput.describe('WordPress: {category: []}'),
  custom: namedInput.describe('WordPress fields'),
});

/** Changes the details of an entry (title, slug, parent, ...), not its sections. */
export const updateContent = defineTool({
  name: 'update_content',
  description: 'Change details of a page or post; "" clears one.',
  input: z.strictObject({ ref: refInput, ...details.shape }),
  writes: true,
  async effect({ ref, ...changes }, context) {
    const entry = await resolveEntry(context.content, ref);
    return draftEffect(context, entry, await toOperations(changes, entry, context.content));
  },
  async execute({ ref, ...changes }, { content, origin }) {
    const entry = await resolveEntry(content, ref);
    // These records are replaced as a whole, including the values that were read.
    const isWhole = [changes.seo, changes.terms, changes.custom].some((record) => record !== undefined);
    const options = !isWhole ? {} : { ifRevision: entry.revision };
    const change = await content.patch(entry.id, await toOperations(changes, entry, content), origin, options);
    const isMoved = changes.slug !== undefined || changes.parent !== undefined;
    return entryResult(change, {
      ...(isMoved && { path: await content.pathOf(change.entry, 'draft') }),
      ...(await addressNote(content, change.entry)),
    });
  },
});

/** Explains that a published entry moves when it is next published, and what happens to its old address. */
async function addressNote(content: ContentBackend, entry: Entry): Promise<Record<string, JsonValue>> {
  if (entry.published === null) return {};
  const [now, then] = await Promise.all([content.addressOf(entry, 'published'), content.addressOf(entry, 'draft')]);
  if (now === then) return {};
  const old = content.capabilities().redirects
    ? `${now} then leads on to it, so that links and the menu still work`
    : `${now} is then lost: links and the menu have to be changed`;
  return { address: `Visitors find it at ${now} until it is published; then at ${then}. ${old}.` };
}

/** @throws InvalidInputError if nothing changes */
async function toOperations(
  changes: z.infer<typeof details>,
  { draft }: Entry,
  content: ContentBackend,
): Promise<PatchOp[]> {
  const { title, slug, parent, seo, terms, custom, ...clearable } = changes;
  const operations: PatchOp[] = [];
  if (title !== undefined) operations.push({ op: 'set', field: 'title', value: title });
  if (slug !== undefined) operations.push({ op: 'set', field: 'slug', value: slug });
  for (const field of ['excerpt', 'author', 'tags', 'image'] as const) {
    const value = clearable[field];
    if (value === undefined) continue;
    operations.push(value.length === 0 ? { op: 'unset', field } : { op: 'set', field, value });
  }
  if (parent === '') operations.push({ op: 'unset', field: 'parent' });
  else if (parent !== undefined) {
    operations.push({ op: 'set', field: 'parent', value: (await resolveEntry(content, parent)).id });
  }
  if (seo !== undefined) operations.push({ op: 'set', field: 'seo', value: withoutEmpty({ ...draft.seo, ...seo }) });
  if (terms !== undefined) operations.push({ op: 'set', field: 'terms', value: toJson({ ...draft.terms, ...terms }) });
  if (custom !== undefined)
    operations.push({ op: 'set', field: 'custom', value: toJson({ ...draft.custom, ...custom }) });
  if (operations.length === 0) throw new InvalidInputError('Name at least one detail to change.');
  return operations;
}

/** Removes fields with the value "", which means that they are cleared. */
function withoutEmpty(seo: Seo): Record<string, JsonValue> {
  const entries = Object.entries(seo).flatMap(([name, value]) =>
    value === '' || value === undefined ? [] : [[name, value]],
  );
  return Object.fromEntries(entries) as Record<string, JsonValue>;
}

/** Deletes an entry, or a picture by its id or address; it can be restored. */
export const deleteContent = defineTool({
  name: 'delete_content',
  description: 'Move a page, post or picture to the trash; undo brings it back.',
  input: z.strictObject({ ref: refInput }),
  writes: true,
  policy: 'ask',
  async effect({ ref }, { content, origin }) {
    const assetId = assetIdIn(ref);
    if (assetId !== null) return assetTrashEffect(content, assetId);
    const entry = await resolveEntry(content, ref);
    const notes = await content.trash(entry.id, origin, { dryRun: true });
    const path = entry.published && (await content.addressOf(entry, 'published'));
    return effect({
      summary: serverText('trash', { title: entry.draft.title, path, gone: path && withoutRoot(path) }),
      targets: [entryTarget(entry)],
      ...(await removalConsequences(content, entry, textsOfNotes(notes))),
    });
  },
  async execute({ ref }, { content, origin, ifRevision }) {
    const assetId = assetIdIn(ref);
    if (assetId !== null) return assetResult(await content.assets.trash(assetId, origin));
    const entry = await resolveEntry(content, ref);
    const left = await removalResult(content, entry);
    return entryResult(await content.trash(entry.id, origin, { ifRevision }), left);
  },
});

/** An address that will not be found any more; null for the root: a separate warning describes what it then shows. */
function withoutRoot(address: string): string | null {
  return /^(?:https?:\/\/[^/]+)?\/$/.test(address) ? null : address;
}

/** Value of `at` that cancels a schedule. */
const CANCEL_SCHEDULE = 'never';

/** Largest number of entries in one publication. */
const MAX_ENTRIES_PUBLISHED = 100;

/** Publishes the drafts of entries, now or at a future time. */
export const publishContent = defineTool({
  name: 'publish_content',
  description: 'Publish drafts of pages or posts.',
  input: z.strictObject({
    ref: refInput.optional(),
    refs: z.array(refInput).min(1).max(MAX_ENTRIES_PUBLISHED).optional(),
    at: z
      .string()
      .min(1)
      .max(40)
      .meta({ isName: true })
      .optional()
      .describe(`later: ISO time with zone (list_content planned tells now); "${CANCEL_SCHEDULE}" cancels that`),
  }),
  writes: true,
  policy: 'ask',
  changesSeveral: ({ refs = [] }) => refs.length > 1,
  async effect({ at, ...input }, context) {
    const entries = await entriesOf(input, context.content);
    const [only] = entries;
    if (entries.length === 1 && only !== undefined) return publicationEffect(only, at, context);
    const { done, refused } = await forEachEntry(entries, (entry) => publicationEffect(entry, at, context));
    const prefixed = done.map(({ entry, value }) => ({ title: shortTitle(entry.draft.title), value }));
    return effect({
      summary: serverText('publish-several', {
        titles: done.map(({ entry }) => entry.draft.title),
        entries: done.map(({ value }) => summaryOf(value)),
        count: done.length,
      }),
      targets: done.map(({ entry }) => entryTarget(entry)),
      changes: prefixed.flatMap(({ title, value }) =>
        value.changes.map((change) => ({ ...change, field: `${title} › ${change.field}` })),
      ),
      warnings: [
        ...refused.map(({ entry, reason }) => serverText('entry-not-published', { title: entry.draft.title, reason })),
        ...prefixed.flatMap(({ title, value }) =>
          warningsOf(value).map((text) => serverText('of-entry', { title, text })),
        ),
      ],
    });
  },
  async execute({ at, ...input }, context) {
    const entries = await entriesOf(input, context.content);
    const [only] = entries;
    if (entries.length === 1 && only !== undefined) return publication(only, at, context);
    const each = { content: context.content, origin: context.origin };
    const { done, refused } = await forEachEntry(entries, (entry) => publication(entry, at, each));
    return {
      published: done.map(({ value }) => value),
      ...(refused.length > 0 && {
        notPublished: refused.map(({ entry, reason }) => ({
          id: entry.id,
          title: entry.draft.title,
          reason: reason.text,
        })),
      }),
    };
  },
});

interface PublicationInput {
  readonly ref?: string | undefined;
  readonly refs?: readonly string[] | undefined;
}

/** The entries that a publication names, each once. */
async function entriesOf({ ref, refs = [] }: PublicationInput, content: ContentBackend): Promise<Entry[]> {
  const named = [...(ref === undefined ? [] : [ref]), ...refs];
  if (named.length === 0) throw new InvalidInputError('Say what to publish: ref, or refs.');
  const entries = new Map<string, Entry>();
  for (const one of named) {
    const entry = await resolveEntry(content, one);
    entries.set(entry.id, entry);
  }
  return [...entries.values()];
}

/**
 * Runs `work` for each entry; a refusal for one does not stop the others.
 * @throws the last refusal, if all are refused
 */
async function forEachEntry<T>(entries: readonly Entry[], work: (entry: Entry) => Promise<T>) {
  const done: { readonly entry: Entry; readonly value: T }[] = [];
  const refused: { readonly entry: Entry; readonly reason: ServerText }[] = [];
  for (const entry of entries) {
    try {
      done.push({ entry, value: await work(entry) });
    } catch (error) {
      if (!(error instanceof ThroughlineError) || refused.length + 1 === entries.length) throw error;
      refused.push({ entry, reason: error.text });
    }
  }
  return { done, refused };
}

async function publicationEffect(entry: Entry, at: string | undefined, context: EffectContext): Promise<ToolEffect> {
  const { content } = context;
  if (at === CANCEL_SCHEDULE) return cancelEffect(entry, context);
  const time = at === undefined ? null : readPublicationTime(at);
  // What visitors already see needs no approval.
  if (time === null && entry.status === 'published' && entry.publishAt === null)
    throw new ConflictError(nothingToPublish(entry));
  if (time !== null) await content.schedule(entry.id, time, context.origin, { dryRun: true });
  const { draft, published } = entry;
  const path = await content.addressOf(entry, 'draft');
  const issues = await content.validate(entry.id);
  return effect({
    summary: serverText('publish', {
      title: draft.title,
      path,
      time,
      isPrivate: entry.marks?.includes('private') === true,
      isUpdate: published !== null,
    }),
    targets: [entryTarget(entry)],
    changes: documentChanges(published, draft),
    warnings: [
      ...(await movedWarning(content, entry, path)),
      ...distinctTexts([
        ...(await content.cautions(entry)),
        ...issues.map(({ message, reason }) => (reason ? { ...reason, text: message } : uncodedText(message))),
      ]),
    ],
  });
}

async function publication(
  entry: Entry,
  at: string | undefined,
  { content, origin, ifRevision }: Pick<ToolContext, 'content' | 'origin' | 'ifRevision'>,
): Promise<JsonValue> {
  if (at !== undefined) {
    const time = at === CANCEL_SCHEDULE ? null : readPublicationTime(at);
    const planned = await content.schedule(entry.id, time, origin, { ifRevision });
    if (time === null) return entryResult(planned);
    const addressThen = await content.addressOf(planned.entry, 'draft');
    return entryResult(planned, { addressThen, plan: SCHEDULED_COPY_NOTE, ...(await warningsResult(content, entry)) });
  }
  const published = await content.publish(entry.id, origin, { ifRevision });
  const address = await content.addressOf(published.entry, 'published');
  return entryResult(published, { address, ...(await warningsResult(content, entry)) });
}

/** Largest number of problems, or of places that lead to an entry, in a result. */
const MAX_LISTED = 8;

/** Gives the model the problems that the person who decided about the publication was shown. */
async function warningsResult(content: ContentBackend, { id }: Entry): Promise<Record<string, JsonValue>> {
  // A completed publication is not reported as failed if its problems cannot be read.
  const issues = await content.validate(id).catch(() => []);
  return issues.length === 0 ? {} : { warnings: listed(issues.map(({ message }) => message)) };
}

/** Result fields about the places that lead to an entry that visitors no longer find. */
async function removalResult(content: ContentBackend, entry: Entry): Promise<Record<string, JsonValue>> {
  // A failure to read them does not fail the call.
  const { references, warnings } = await removalConsequences(content, entry).catch(() => ({
    references: [],
    warnings: [],
  }));
  return {
    ...(warnings.length > 0 && { warnings: warnings.map((each) => (typeof each === 'string' ? each : each.text)) }),
    ...(references.length > 0 && { stillLeadsHere: listed(references.map(referenceLine)) }),
  };
}

/** The first lines; the others are only counted. */
function listed(lines: readonly JsonValue[]): JsonValue[] {
  const more = lines.length - MAX_LISTED;
  return more > 0 ? [...lines.slice(0, MAX_LISTED), `and ${more} more`] : [...lines];
}

async function cancelEffect(entry: Entry, { content, origin }: EffectContext): Promise<ToolEffect> {
  await content.schedule(entry.id, null, origin, { dryRun: true });
  return effect({
    summary: serverText('cancel-plan', { title: entry.draft.title }),
    targets: [entryTarget(entry)],
  });
}

async function movedWarning(content: ContentBackend, entry: Entry, path: string) {
  const before = entry.published && (await content.addressOf(entry, 'published'));
  if (before === null || before === path) return [];
  const { redirects } = content.capabilities();
  return [serverText('address-changes', { before, after: path, redirects })];
}

/** Takes an entry off the published site. */
export const unpublishContent = defineTool({
  name: 'unpublish_content',
  description: 'Take a page or post off the site; its draft stays.',
  input: z.strictObject({ ref: refInput }),
  writes: true,
  policy: 'ask',
  async effect({ ref }, { content, origin }) {
    const entry = await resolveEntry(content, ref);
    const notes = await content.unpublish(entry.id, origin, { dryRun: true });
    const path = await content.addressOf(entry, 'published');
    return effect({
      summary: serverText('unpublish', { title: entry.draft.title, path, gone: withoutRoot(path) }),
      targets: [entryTarget(entry)],
      ...(await removalConsequences(content, entry, textsOfNotes(notes))),
    });
  },
  async execute({ ref }, { content, origin, ifRevision }) {
    const entry = await resolveEntry(content, ref);
    const left = await removalResult(content, entry);
    return entryResult(await content.unpublish(entry.id, origin, { ifRevision }), left);
  },
});
