import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { connectableIds } from '#server/core/provider-words';
import { toolPolicyNames } from '#server/core/settings-report';

/* Tables of the whole installation. */

/** Settings of the administrator; a name without a row has the environment's value. */
export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  /** JSON. */
  value: text('value').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Providers of models that an administrator has connected; what the environment sets wins. */
export const modelProviders = sqliteTable('model_providers', {
  id: text('id', { enum: connectableIds }).primaryKey(),
  /** OpenAI-compatible server's URL; null: the provider's own. */
  baseUrl: text('base_url'),
  /** Sealed (core/secrets); null: it wants none. */
  apiKey: text('api_key'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Servers whose tools the assistant may use (Model Context Protocol). */
export const mcpServers = sqliteTable('mcp_servers', {
  id: text('id').primaryKey(),
  /** Prefix of its tools' names; unique. */
  name: text('name').notNull().unique(),
  /** JSON: how to reach it. */
  transport: text('transport').notNull(),
  policy: text('policy', { enum: toolPolicyNames }).notNull(),
  isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Ratios of tokens charged by a model's provider to our counts, from its reports. */
export const modelCalibrations = sqliteTable('model_calibrations', {
  modelId: text('model_id').primaryKey(),
  /** JSON array of the newest ratios (reported / counted), oldest first. */
  ratios: text('ratios').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Lists of models with their limits as providers publish them, kept for a day. */
export const modelCatalogs = sqliteTable('model_catalogs', {
  /** `openrouter`, or the base URL of a local server. */
  source: text('source').primaryKey(),
  /** JSON. */
  models: text('models').notNull(),
  fetchedAt: integer('fetched_at').notNull(),
});

/** Leases for work that one process at a time may do; the holder renews its row. */
export const leases = sqliteTable('leases', {
  name: text('name').primaryKey(),
  owner: text('owner').notNull(),
  expiresAt: integer('expires_at').notNull(),
});
