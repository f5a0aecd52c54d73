import { integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { remoteKinds } from '#server/core/site/remote-site';

/* Tables of connected WordPress sites, and of the links between their entries and our copies. Times are epoch milliseconds. */

/** Connected WordPress sites. At most one is active; if none is, the built-in site is used. */
export const wordpressSites = sqliteTable('wordpress_sites', {
  id: text('id').primaryKey(),
  /** Base address of its REST interface: `https://example.org`, without a trailing slash. */
  url: text('url').notNull().unique(),
  username: text('username').notNull(),
  /** The application password, encrypted (server/platform/database/secret-box). */
  password: text('password').notNull(),
  /** `name:password` that the web server requires before WordPress, encrypted; null if it requires none. */
  proxy: text('proxy'),
  /** The site's own name. */
  name: text('name').notNull(),
  isActive: integer('is_active', { mode: 'boolean' }).notNull(),
  /** JSON: capabilities of the site and of this user, as found by the connection test. */
  abilities: text('abilities', { mode: 'json' }).notNull(),
  /** All changes made on the site before this time have been pulled; null: the first pull is not completed. */
  pulledAt: integer('pulled_at'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** States of entries of connected sites from before each write to them: an undo restores these. */
export const remotePast = sqliteTable(
  'remote_past',
  {
    siteId: text('site_id')
      .notNull()
      .references(() => wordpressSites.id, { onDelete: 'cascade' }),
    localId: text('local_id').notNull(),
    /** Counts from 1. */
    seq: integer('seq').notNull(),
    /** JSON: like `remote_links.known`, with texts replaced by their hashes. */
    known: text('known', { mode: 'json' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.localId, t.seq] })],
);

/** Markup of sections of former states, each stored once. */
export const remoteTexts = sqliteTable(
  'remote_texts',
  {
    siteId: text('site_id')
      .notNull()
      .references(() => wordpressSites.id, { onDelete: 'cascade' }),
    /** SHA-256, hex. */
    hash: text('hash').notNull(),
    text: text('text').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.hash] })],
);

/**
 * Links between entries, pictures and documents of a connected site and their copies here, with their last known state
 * on that site.
 */
export const remoteLinks = sqliteTable(
  'remote_links',
  {
    siteId: text('site_id')
      .notNull()
      .references(() => wordpressSites.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: remoteKinds }).notNull(),
    /** Id of the entry or asset, or key of the site document. */
    localId: text('local_id').notNull(),
    remoteId: integer('remote_id').notNull(),
    /** JSON: the state on the connected site when it was last read or written. */
    known: text('known', { mode: 'json' }).notNull(),
    seenAt: integer('seen_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.localId] }),
    uniqueIndex('remote_links_remote').on(t.siteId, t.kind, t.remoteId),
  ],
);
