import { z } from 'zod';
import type { ContentBackend } from '#server/content/content-backend';
import type { EntryItem } from '#server/core/site-lists';
import { type Entry, type PatchOp, sectionTypes, type Seo } from '#server/core/content';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import { type JsonValue, toJson } from '#server/core/json';
import { draftEffect, effect, entryTarget, goneFromSite } from '#server/tools/effects';
import { wholeResult } from '#server/tools/long-texts';
import { assetIdIn, assetResult, assetTrashEffect } from '#server/tools/media-tools';
import {
  CHANGED_MEANS,
  entryResult,
  isoDay,
  isoTime,
  PLAN_IS_FROZEN,
  readPublicationTime,
  referenceLine,
  spokenTime,
} from '#server/tools/results';
import {
  entryTypeInput,
  fieldsInput,
  namedInput,
  parentInput,
  refInput,
  resolveEntry,
  seoInput,
  tagsInput,
  titleInput,
} from '#server/tools/schemas';
import { defineTool, type EffectContext } from '#server/tools/tool';
import { nothingToPublish } from '#server/content/change-summary';
import { documentChanges } from '#server/content/field-changes';
import { oneLine } from '#server/core/short-text';
import type { ToolEffect } from '#server/core/tool-effect';

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
    const above = parent === undefined ? undefined : (await resolveEntry(content, parent)).id;
    const { items, total, nextCursor } = await content.query({
      ...query,
      select: ['author', 'tags', 'terms'],
      parent: above,
      ...(status === 'trashed' ? { state: status } : { status }),
      ...(planned === true && { scheduled: true, sort: query.sort ?? 'scheduled' }),
    });
    return {
      ...(items.some((item) => item.status === 'changed') && { statuses: `changed: ${CHANGED_MEANS}` }),
      ...(planned === true && { now: isoTime(Date.now()) }),
      total,
      // In front: a list that is cut at its end must not lose it.
      ...(nextCursor !== null && { cursor: nextCursor }),
      items: items.map((item) => ({ ...entryLine(item), ...(status === 'trashed' && { status }) })),
    };
  },
});

/** Characters of an excerpt in a list. */
const LISTED_EXCERPT = 120;

/** One entry in a list: what tells it from the others. */
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

/** A section of a new entry. One that was copied from another entry may still have its id; it gets one of its own. */
const newSectionInput = z.preprocess(
  (section) => {
    if (typeof section !== 'object' || section === null || Array.isArray(section)) return section;
    return Object.fromEntries(Object.entries(section).filter(([name]) => name !== 'id'));
  },
  z.strictObject({ type: z.enum(sectionTypes), fields: fieldsInput.optional().describe('see describe_sections') }),
);

/** Creates a page or post as a draft, with its first sections if they are given. */
export const createContent = defineTool({
  name: 'create_content',
  description: 'Create a draft page or post.',
  input: z.strictObject({
    type: entryTypeInput,
    title: titleInput,
    slug: z.string().min(1).max(120).optional().describe('default: from title'),
    excerpt: z.string().max(500).optional().describe('one or two sentences'),
    author: z.string().max(120).optional(),
    tags: tagsInput,
    image: z.string().optional().describe('URL'),
    parent: parentInput,
    seo: seoInput,
    sections: z.array(newSectionInput).max(50).optional(),
  }),
  writes: true,
  async effect({ type, title }) {
    return effect({ summary: `Creates the draft of a ${type}, "${title}".`, targets: [] });
  },
  async execute({ sections, parent, ...entry }, { content, origin }) {
    const above = parent === undefined || parent === '' ? undefined : (await resolveEntry(content, parent)).id;
    const withFields = sections?.map(({ type, fields }) => ({ type, fields: fields ?? {} }));
    const change = await content.create({ ...entry, parent: above, sections: withFields }, origin);
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
  tags: tagsInput,
  image: z.string().optional().describe('URL'),
  parent: parentInput,
  seo: seoInput,
  terms: namedInput.describe('WordPress: {category: [names]}'),
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
    // These are written whole, with what was read of them.
    const isWhole = [changes.seo, changes.terms, changes.custom].some((record) => record !== undefined);
    const options = !isWhole ? {} : { ifRevision: entry.revision };
    const change = await content.patch(entry.id, await toOperations(changes, entry, content), origin, options);
    return entryResult(change, await addressNote(content, change.entry));
  },
});

/** Says that a published entry moves with its next publishing, and what becomes of its old address. */
async function addressNote(content: ContentBackend, entry: Entry): Promise<Record<string, JsonValue>> {
  if (entry.published === null) return {};
  const [now, then] = await Promise.all([content.pathOf(entry, 'published'), content.pathOf(entry, 'draft')]);
  if (now === then) return {};
  const old = content.capabilities().redirects
    ? `${now} then leads on to it, so that links and the menu still work`
    : `${now} is then lost: links and the menu have to be changed`;
  return { address: `Visitors find it at ${now} until it is published; then at ${then}. ${old}.` };
}

/** @throws InvalidInputError where nothing changes */
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

/** Drops the fields that "" clears. */
function withoutEmpty(seo: Seo): Record<string, JsonValue> {
  const entries = Object.entries(seo).flatMap(([name, value]) =>
    value === '' || value === undefined ? [] : [[name, value]],
  );
  return Object.fromEntries(entries) as Record<string, JsonValue>;
}

/** Deletes an entry, or a picture by its id or address; it can be brought back. */
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
    const { notes } = await content.trash(entry.id, origin, { dryRun: true });
    const path = entry.published && (await content.pathOf(entry, 'published'));
    return effect({
      summary: `Moves "${entry.draft.title}" to the trash${path === null ? '' : notFound(path)}.`,
      targets: [entryTarget(entry)],
      ...(await goneFromSite(content, entry, notes)),
    });
  },
  async execute({ ref }, { content, origin, ifRevision }) {
    const assetId = assetIdIn(ref);
    if (assetId !== null) return assetResult(await content.assets.trash(assetId, origin));
    const entry = await resolveEntry(content, ref);
    const left = await goneResult(content, entry);
    return entryResult(await content.trash(entry.id, origin, { ifRevision }), left);
  },
});

/** End of a sentence about what leaves the site; what is then at `/`, a warning tells. */
function notFound(path: string): string {
  return path === '/' ? '' : `: ${path} will not be found any more`;
}

/** Value of `at` that takes a plan back. */
const NEVER = 'never';

/** Makes the draft of an entry the published version, now or at a time to come. */
export const publishContent = defineTool({
  name: 'publish_content',
  description: 'Publish the draft of a page or post.',
  input: z.strictObject({
    ref: refInput,
    at: z
      .string()
      .min(1)
      .max(40)
      .meta({ isName: true })
      .optional()
      .describe(`later: ISO time with zone (list_content planned tells now); "${NEVER}" cancels that`),
  }),
  writes: true,
  policy: 'ask',
  async effect({ ref, at }, context) {
    const { content } = context;
    const entry = await resolveEntry(content, ref);
    if (at === NEVER) return cancelEffect(entry, context);
    const time = at === undefined ? null : readPublicationTime(at);
    // Nobody is asked about what visitors see already.
    if (time === null && entry.status === 'published' && entry.publishAt === null)
      throw new ConflictError(nothingToPublish(entry));
    if (time !== null) await content.schedule(entry.id, time, context.origin, { dryRun: true });
    const { draft, published } = entry;
    const path = await content.pathOf(entry, 'draft');
    const issues = await content.validate(entry.id);
    const when = time === null ? '' : ` by itself on ${spokenTime(time)}`;
    return effect({
      summary: entry.marks?.includes('private')
        ? `"${draft.title}" is private now: publishing shows it to everybody${when}, at ${path}.`
        : published
          ? `Puts the changes of "${draft.title}" on the site${when}, at ${path}.`
          : `Puts "${draft.title}" on the site${when}, at ${path}.`,
      targets: [entryTarget(entry)],
      changes: documentChanges(published, draft),
      warnings: [
        ...(await movedWarning(content, entry, path)),
        ...new Set([...(await content.cautions(entry)), ...issues.map(({ message }) => message)]),
      ],
    });
  },
  async execute({ ref, at }, { content, origin, ifRevision }) {
    const entry = await resolveEntry(content, ref);
    if (at !== undefined) {
      const time = at === NEVER ? null : readPublicationTime(at);
      const planned = await content.schedule(entry.id, time, origin, { ifRevision });
      if (time === null) return entryResult(planned);
      const addressThen = await content.pathOf(planned.entry, 'draft');
      return entryResult(planned, { addressThen, plan: PLAN_IS_FROZEN, ...(await warningsResult(content, entry)) });
    }
    const published = await content.publish(entry.id, origin, { ifRevision });
    const address = await content.pathOf(published.entry, 'published');
    return entryResult(published, { address, ...(await warningsResult(content, entry)) });
  },
});

/** Most problems, or places that lead to an entry, that a result names. */
const MAX_LISTED = 8;

/** Tells the model what whoever was asked about a publication was told of its problems. */
async function warningsResult(content: ContentBackend, { id }: Entry): Promise<Record<string, JsonValue>> {
  // What is done is done: it is not told as failed because its problems cannot be read.
  const issues = await content.validate(id).catch(() => []);
  return issues.length === 0 ? {} : { warnings: listed(issues.map(({ message }) => message)) };
}

/** Result fields about the places that lead to an entry which visitors do not find any more. */
async function goneResult(content: ContentBackend, entry: Entry): Promise<Record<string, JsonValue>> {
  // Nothing fails because it cannot be told.
  const { references, warnings } = await goneFromSite(content, entry).catch(() => ({ references: [], warnings: [] }));
  return {
    ...(warnings.length > 0 && { warnings }),
    ...(references.length > 0 && { stillLeadsHere: listed(references.map(referenceLine)) }),
  };
}

/** The first of them; the others are counted. */
function listed(lines: readonly JsonValue[]): JsonValue[] {
  const more = lines.length - MAX_LISTED;
  return more > 0 ? [...lines.slice(0, MAX_LISTED), `and ${more} more`] : [...lines];
}

async function cancelEffect(entry: Entry, { content, origin }: EffectContext): Promise<ToolEffect> {
  await content.schedule(entry.id, null, origin, { dryRun: true });
  return effect({
    summary: `Takes back the planned publication of "${entry.draft.title}".`,
    targets: [entryTarget(entry)],
  });
}

async function movedWarning(content: ContentBackend, entry: Entry, path: string): Promise<string[]> {
  const before = entry.published && (await content.pathOf(entry, 'published'));
  if (before === null || before === path) return [];
  const { redirects } = content.capabilities();
  return [`Its address changes from ${before} to ${path}; the old one ${redirects ? 'leads on' : 'is lost'}.`];
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
    const { notes } = await content.unpublish(entry.id, origin, { dryRun: true });
    const path = await content.pathOf(entry, 'published');
    return effect({
      summary: `Takes "${entry.draft.title}" off the site${notFound(path)}. Its draft stays.`,
      targets: [entryTarget(entry)],
      ...(await goneFromSite(content, entry, notes)),
    });
  },
  async execute({ ref }, { content, origin, ifRevision }) {
    const entry = await resolveEntry(content, ref);
    const left = await goneResult(content, entry);
    return entryResult(await content.unpublish(entry.id, origin, { ifRevision }), left);
  },
});
