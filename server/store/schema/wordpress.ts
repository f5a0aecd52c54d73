import { integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { remoteKinds } from '#server/core/remote-site';

/* WordPress sites, and what of them is which of ours. */

/** WordPress sites that were connected. At most one is active; where none is, the site is our own. */
export const wordpressSites = sqliteTable('wordpress_sites', {
  id: text('id').primaryKey(),
  /** Base address of its REST interface: `https://example.org`, without a slash at the end. */
  url: text('url').notNull().unique(),
  username: text('username').notNull(),
  /** The application password, sealed (server/store/secret-box). */
  password: text('password').notNull(),
  /** The name that the site gives itself. */
  name: text('name').notNull(),
  isActive: integer('is_active', { mode: 'boolean' }).notNull(),
  /** JSON: what the site and this user can do, as the connection test found it. */
  abilities: text('abilities', { mode: 'json' }).notNull(),
  /** All that the site changed before this was taken over; null: the first time is not through yet. */
  pulledAt: integer('pulled_at'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Former states of entries of connected sites, from before each write to them: undo gives back what was there. */
export const remotePast = sqliteTable(
  'remote_past',
  {
    siteId: text('site_id')
      .notNull()
      .references(() => wordpressSites.id, { onDelete: 'cascade' }),
    localId: text('local_id').notNull(),
    /** Counts from 1. */
    seq: integer('seq').notNull(),
    /** JSON: as `remote_links.known`, its texts named by their hashes. */
    known: text('known', { mode: 'json' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.localId, t.seq] })],
);

/** Markup of sections of former states, each once. */
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

/** Links between things of a connected site and their copies here, with their last known state there. */
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
    /** JSON: its state there, as it was last seen or written. */
    known: text('known', { mode: 'json' }).notNull(),
    seenAt: integer('seen_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.localId] }),
    uniqueIndex('remote_links_remote').on(t.siteId, t.kind, t.remoteId),
  ],
);
