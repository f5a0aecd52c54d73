import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { CodedMessage } from '#server/core/coded-message';
import { EMBEDDED_SITE, entryTypes } from '#server/core/site/content';
import { changeActions, changeActors, changeTargets, siteDocumentKeys } from '#server/core/site/changes';
import { importFormats, importStatuses } from '#server/core/site/imports';
import { mailStates } from '#server/core/site/submissions';

/* Tables of the site (times are epoch milliseconds): entries, documents, the media library, the journal of changes, imports, and submissions of visitors. */

/** Site of a row: the built-in one, or a connected one (`wordpress_sites`). */
const siteId = () => text('site_id').notNull().default(EMBEDDED_SITE);

/** Pages and posts. `draft`, `published` and `planned` are whole documents (core/site/content EntryDocument). */
export const entries = sqliteTable(
  'entries',
  {
    id: text('id').primaryKey(),
    siteId: siteId(),
    type: text('type', { enum: entryTypes }).notNull(),
    slug: text('slug').notNull(),
    publishedSlug: text('published_slug'),
    title: text('title').notNull(),
    publishedTitle: text('published_title').generatedAlwaysAs(sql`json_extract(published, '$.title')`),
    parentId: text('parent_id').generatedAlwaysAs(sql`json_extract(draft, '$.parent')`),
    publishedParentId: text('published_parent_id').generatedAlwaysAs(sql`json_extract(published, '$.parent')`),
    revision: integer('revision').notNull(),
    draft: text('draft', { mode: 'json' }).notNull(),
    published: text('published', { mode: 'json' }),
    publishedAt: integer('published_at'),
    /** Time of the last change to `published`, epoch milliseconds; null if not published. */
    publishedUpdatedAt: integer('published_updated_at'),
    /** Time at which `planned` is published automatically. */
    publishAt: integer('publish_at'),
    /**
     * The scheduled document; null with a time in rows from before schedules stored one: then the draft is published.
     */
    planned: text('planned', { mode: 'json' }),
    /** JSON list (core/site/content EntryMark); null: none. */
    marks: text('marks', { mode: 'json' }),
    /**
     * Texts for case-insensitive comparison, with the revision that they were computed from (site/store/folded-texts).
     * Null, or of another revision: not computed yet.
     */
    folded: text('folded', { mode: 'json' }),
    deletedAt: integer('deleted_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('entries_type_slug')
      .on(t.siteId, t.type, t.slug)
      .where(sql`deleted_at is null`),
    uniqueIndex('entries_type_published_slug')
      .on(t.siteId, t.type, t.publishedSlug)
      .where(sql`deleted_at is null and published_slug is not null`),
    index('entries_type_updated')
      .on(t.siteId, t.type, t.updatedAt, t.id)
      .where(sql`deleted_at is null`),
    index('entries_type_published_updated')
      .on(t.siteId, t.type, t.publishedUpdatedAt, t.id)
      .where(sql`deleted_at is null`),
    index('entries_type_created')
      .on(t.siteId, t.type, t.createdAt, t.id)
      .where(sql`deleted_at is null`),
    index('entries_type_published')
      .on(t.siteId, t.type, sql`case when published_at is null then 8640000000000000 else published_at end`, t.id)
      .where(sql`deleted_at is null`),
    index('entries_type_title')
      .on(t.siteId, t.type, sql`title collate nocase`, t.id)
      .where(sql`deleted_at is null`),
    index('entries_type_published_title')
      .on(t.siteId, t.type, sql`published_title collate nocase`, t.id)
      .where(sql`deleted_at is null`),
    index('entries_parent')
      .on(t.parentId)
      .where(sql`parent_id is not null`),
    index('entries_published_parent')
      .on(t.publishedParentId)
      .where(sql`published_parent_id is not null`),
    index('entries_deleted')
      .on(t.siteId, t.deletedAt)
      .where(sql`deleted_at is not null`),
    index('entries_publish_at')
      .on(t.siteId, t.publishAt)
      .where(sql`publish_at is not null`),
  ],
);

/** Navigation, settings and standing instructions: one row each. */
export const siteDocuments = sqliteTable(
  'site_documents',
  {
    siteId: siteId(),
    key: text('key', { enum: siteDocumentKeys }).notNull(),
    value: text('value', { mode: 'json' }).notNull(),
    revision: integer('revision').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.key] })],
);

/** Bytes of the media library, each stored once; versions of an asset refer to them by hash. */
export const assetFiles = sqliteTable('asset_files', {
  /** SHA-256 of the bytes, hex. */
  hash: text('hash').primaryKey(),
  data: blob('data', { mode: 'buffer' }).notNull(),
  /** Thumbnail, WebP. */
  thumbnail: blob('thumbnail', { mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

/** The media library. */
export const assets = sqliteTable(
  'assets',
  {
    id: text('id').primaryKey(),
    siteId: siteId(),
    /** Refers to its bytes. Those of a mirrored site are fetched on first use. */
    hash: text('hash').notNull(),
    filename: text('filename').notNull(),
    mediaType: text('media_type').notNull(),
    /** Bytes. */
    size: integer('size').notNull(),
    /** Pixels. */
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    alt: text('alt').notNull().default(''),
    tags: text('tags', { mode: 'json' }).notNull(),
    /** As in `entries`. */
    folded: text('folded', { mode: 'json' }),
    revision: integer('revision').notNull(),
    deletedAt: integer('deleted_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [index('assets_created').on(t.siteId, t.createdAt), index('assets_hash').on(t.hash)],
);

/** Paths at which entries were published in the past. */
export const redirects = sqliteTable(
  'redirects',
  {
    siteId: siteId(),
    /** A path of the site, for example `/old-name`. */
    fromPath: text('from_path').notNull(),
    targetId: text('target_id')
      .notNull()
      .references(() => entries.id, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.fromPath] }), index('redirects_target').on(t.targetId)],
);

/**
 * The journal: one row per write to content. Session, turn and tool call are plain columns, not foreign keys: deleting
 * a conversation must not delete the record of its changes.
 */
export const revisions = sqliteTable(
  'revisions',
  {
    id: text('id').primaryKey(),
    /** Order of all changes; times may be equal. */
    seq: integer('seq').notNull().unique(),
    siteId: siteId(),
    targetType: text('target_type', { enum: changeTargets }).notNull(),
    targetId: text('target_id').notNull(),
    slug: text('slug'),
    title: text('title').notNull(),
    revision: integer('revision').notNull(),
    action: text('action', { enum: changeActions }).notNull(),
    operations: text('operations', { mode: 'json' }).notNull(),
    inverse: text('inverse', { mode: 'json' }).notNull(),
    /** The target's complete stored state before and after (null: it did not exist). */
    before: text('before', { mode: 'json' }),
    after: text('after', { mode: 'json' }),
    summary: text('summary').notNull(),
    /** JSON (core/coded-message CodedMessage): the summary as data. Null in rows of earlier versions. */
    summaryMessage: text('summary_message', { mode: 'json' }),
    actor: text('actor', { enum: changeActors }).notNull(),
    /** User who made the change; null in rows from before accounts existed. */
    userId: text('user_id'),
    sessionId: text('session_id'),
    turnId: text('turn_id'),
    toolCallId: text('tool_call_id'),
    /** The tool-call part that the user approved. */
    approvalId: text('approval_id'),
    undoneBy: text('undone_by'),
    /** The row that this one undid. */
    undoes: text('undoes'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('revisions_target').on(t.siteId, t.targetId, t.seq),
    index('revisions_session').on(t.siteId, t.sessionId, t.seq),
    index('revisions_turn').on(t.siteId, t.turnId, t.seq),
    index('revisions_actor').on(t.siteId, t.actor, t.seq),
    index('revisions_target_type').on(t.siteId, t.targetType, t.seq),
    index('revisions_undone_by')
      .on(t.undoneBy)
      .where(sql`undone_by is not null`),
  ],
);

/** Imports of whole sites, running and finished. */
export const importRuns = sqliteTable(
  'import_runs',
  {
    id: text('id').primaryKey(),
    siteId: siteId(),
    userId: text('user_id'),
    filename: text('filename').notNull(),
    format: text('format', { enum: importFormats }).notNull(),
    status: text('status', { enum: importStatuses }).notNull(),
    /** Number of entries, files and other items that are processed, out of `total`. */
    done: integer('done').notNull(),
    total: integer('total').notNull(),
    /** JSON (core/site/imports ImportReport). */
    report: text('report', { mode: 'json' }).notNull(),
    error: text('error'),
    /** `error` as data; null if it has no code, as in rows of older versions. */
    errorMessage: text('error_message', { mode: 'json' }).$type<CodedMessage>(),
    createdAt: integer('created_at').notNull(),
    finishedAt: integer('finished_at'),
  },
  (t) => [index('import_runs_created').on(t.siteId, t.createdAt)],
);

/** Entries that imports have created, so that the next import of the same source does not create duplicates. */
export const importedItems = sqliteTable(
  'imported_items',
  {
    siteId: siteId(),
    /** Source of the file: `wxr:https://example.org`, `json:<site>`. */
    source: text('source').notNull(),
    /** Its key in the source: `post:123`. */
    sourceKey: text('source_key').notNull(),
    localId: text('local_id').notNull(),
    /** SHA-256 of the imported state, hex: an equal state is left alone by the next import. */
    hash: text('hash').notNull(),
    /** Revision of the entry after the import: a higher one means that a person has changed it here since. */
    revision: integer('revision').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.source, t.sourceKey] })],
);

/** Comments of visitors that were imported with entries: stored for exports. */
export const importedComments = sqliteTable(
  'imported_comments',
  {
    siteId: siteId(),
    entryId: text('entry_id').notNull(),
    /** JSON: `KeptComment[]`. */
    comments: text('comments', { mode: 'json' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.entryId] })],
);

/**
 * Browser windows that have an entry open, with the field that contains their cursor. Rows that are not renewed are
 * expired.
 */
export const presence = sqliteTable(
  'presence',
  {
    windowId: text('window_id').primaryKey(),
    userId: text('user_id').notNull(),
    entryId: text('entry_id').notNull(),
    /** Null: a field of the entry itself, or (without `field`) no field. */
    sectionId: text('section_id'),
    field: text('field'),
    seenAt: integer('seen_at').notNull(),
  },
  (t) => [index('presence_entry').on(t.entryId)],
);

/**
 * Links that show the draft of one entry to people without an account. Triggers delete the links of an entry that goes
 * into the trash, or that is deleted (migration 0037).
 */
export const previewLinks = sqliteTable(
  'preview_links',
  {
    id: text('id').primaryKey(),
    entryId: text('entry_id').notNull(),
    /** SHA-256 of the secret in the address, hex; the secret itself is not stored. */
    hash: text('hash').notNull(),
    createdBy: text('created_by').notNull(),
    /** API key that created the link, which ends with the key; null: none. */
    keyId: text('key_id'),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** Null: not revoked. */
    revokedAt: integer('revoked_at'),
  },
  (t) => [
    uniqueIndex('preview_links_hash').on(t.hash),
    index('preview_links_entry').on(t.entryId),
    index('preview_links_created_by').on(t.createdBy),
  ],
);

/** Comments on drafts by people who have a preview link; links that have ended are deleted, their comments stay. */
export const previewComments = sqliteTable(
  'preview_comments',
  {
    id: text('id').primaryKey(),
    entryId: text('entry_id')
      .notNull()
      .references(() => entries.id, { onDelete: 'cascade' }),
    linkId: text('link_id').notNull(),
    /** Null: about the whole page. */
    sectionId: text('section_id'),
    /** As the commenter wrote it, not verified. */
    name: text('name').notNull(),
    text: text('text').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null: open. */
    resolvedAt: integer('resolved_at'),
  },
  (t) => [
    index('preview_comments_entry').on(t.entryId),
    index('preview_comments_link').on(t.linkId),
    index('preview_comments_created').on(t.createdAt),
  ],
);

/**
 * Pictures of the media library in the sizes that pages requested: generated from their bytes, and regenerated if
 * missing.
 */
export const pictureVariants = sqliteTable(
  'picture_variants',
  {
    /** First part of the hash of the picture’s bytes. */
    version: text('version').notNull(),
    /** Width, crop and format: `800-10-0-80-100.avif`. */
    name: text('name').notNull(),
    data: blob('data', { mode: 'buffer' }).notNull(),
    /** Bytes. */
    size: integer('size').notNull(),
    /** Day of its last use; epoch milliseconds. */
    usedAt: integer('used_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.version, t.name] }), index('picture_variants_used').on(t.usedAt, t.size)],
);

/* Submissions of the forms of the built-in site. */

/** Submitted forms. Page and section are not foreign keys: submissions outlive them. */
export const submissions = sqliteTable(
  'submissions',
  {
    id: text('id').primaryKey(),
    entryId: text('entry_id').notNull(),
    sectionId: text('section_id').notNull(),
    /** Title of the page and heading of the form at the time of the submission. */
    pageTitle: text('page_title').notNull(),
    formTitle: text('form_title').notNull(),
    /** JSON (core/site/submissions Answer[]). */
    answers: text('answers', { mode: 'json' }).notNull(),
    /** Labels and answers in lower case, for searches. */
    words: text('words').notNull(),
    isRead: integer('is_read', { mode: 'boolean' }).notNull().default(false),
    mail: text('mail', { enum: mailStates }).notNull(),
    /** Why the last attempt to mail the submission failed. */
    mailError: text('mail_error'),
    /** `mailError` as data; null if it has no code, as in rows of older versions. */
    mailErrorMessage: text('mail_error_message', { mode: 'json' }).$type<CodedMessage>(),
    mailTries: integer('mail_tries').notNull().default(0),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('submissions_created').on(t.createdAt, t.id),
    index('submissions_form').on(t.sectionId, t.createdAt),
    index('submissions_unread')
      .on(t.createdAt)
      .where(sql`not is_read`),
    index('submissions_waiting')
      .on(t.createdAt)
      .where(sql`mail = 'waiting'`),
  ],
);

/** How long submissions are kept: a single row. */
export const submissionSettings = sqliteTable('submission_settings', {
  id: integer('id').primaryKey(),
  /** Days. */
  keepDays: integer('keep_days').notNull(),
});
