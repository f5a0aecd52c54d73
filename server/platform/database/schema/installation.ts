import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { connectableIds } from '#server/core/admin/provider-names';
import { toolPolicyNames } from '#server/core/admin/settings-report';
import { spendingKinds } from '#server/core/admin/spending';

/* Tables of the whole installation: its settings and connections, its models and their costs. */

/** Settings of the administrator; a name without a row has the environment's value. */
export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  /** JSON. */
  value: text('value').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Model providers that an administrator has connected; the environment has priority. */
export const modelProviders = sqliteTable('model_providers', {
  id: text('id', { enum: connectableIds }).primaryKey(),
  /** URL of the OpenAI-compatible server; null: the provider's own. */
  baseUrl: text('base_url'),
  /** Encrypted (core/secrets); null if it requires none. */
  apiKey: text('api_key'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Servers whose tools the assistant may use (Model Context Protocol). */
export const mcpServers = sqliteTable('mcp_servers', {
  id: text('id').primaryKey(),
  /** Prefix of its tools' names; unique. */
  name: text('name').notNull().unique(),
  /** JSON: how to connect to it. */
  transport: text('transport').notNull(),
  policy: text('policy', { enum: toolPolicyNames }).notNull(),
  isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull(),
  /** Id of the site whose conversations may use it; null: all. */
  siteId: text('site_id'),
  /** Encrypted JSON: tokens with which this server has signed in there (OAuth). */
  credentials: text('credentials'),
  /** When a person connected it; epoch milliseconds. Null: nobody has, or it needs to be connected again. */
  connectedAt: integer('connected_at'),
  /** Encrypted JSON: a sign-in that a person has begun, until the browser returns. */
  pendingSignIn: text('pending_sign_in'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Ratios of the tokens that a model's provider charged to our counts, from its reports. */
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

/** Leases for work that only one process at a time may do; the holder renews its row. */
export const leases = sqliteTable('leases', {
  name: text('name').primaryKey(),
  owner: text('owner').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

/* Costs of models. */

/**
 * Model calls, summed by day (UTC), person, conversation, model and purpose. Rows have no foreign keys: costs stay
 * recorded after deletions. Amounts are in millionths of a US dollar.
 */
export const spending = sqliteTable(
  'spending',
  {
    day: text('day').notNull(),
    userId: text('user_id').notNull(),
    /** Empty: a conversation that another program stores. */
    sessionId: text('session_id').notNull(),
    modelId: text('model_id').notNull(),
    kind: text('kind', { enum: spendingKinds }).notNull(),
    calls: integer('calls').notNull(),
    inputTokens: integer('input_tokens').notNull(),
    outputTokens: integer('output_tokens').notNull(),
    cacheReadTokens: integer('cache_read_tokens').notNull(),
    cost: integer('cost').notNull(),
    /** The part of the cost that was computed from list prices. */
    estimated: integer('estimated').notNull(),
    /** Number of calls of unknown cost. */
    unpriced: integer('unpriced').notNull(),
    cacheSaved: integer('cache_saved').notNull(),
    compactionSaved: integer('compaction_saved').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.day, t.userId, t.sessionId, t.modelId, t.kind] }),
    // Budgets are checked before each call: their sums are read from the indexes alone.
    index('spending_day_cost').on(t.day, t.userId, t.cost),
    index('spending_session_cost').on(t.sessionId, t.cost),
  ],
);
