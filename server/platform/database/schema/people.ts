import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { languageCodes } from '#server/core/languages';
import { roles, type Scope } from '#server/core/admin/access-rights';

/* Tables of people and their access: accounts, API keys, the audit log. Times without another type are epoch milliseconds. */

/* Accounts. The columns are those of better-auth (its times are dates), the table names are ours. */

const date = (name: string) => integer(name, { mode: 'timestamp_ms' });

/** People who may sign in. */
export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  email: text('email').notNull().unique(),
  emailVerified: integer('email_verified', { mode: 'boolean' }).notNull().default(false),
  image: text('image'),
  role: text('role', { enum: roles }).notNull().default('editor'),
  /** True: a code of an authenticator app is required after the password. */
  twoFactorEnabled: integer('two_factor_enabled', { mode: 'boolean' }).notNull().default(false),
  /** True: the person may not sign in. */
  banned: integer('banned', { mode: 'boolean' }).notNull().default(false),
  /** Language of the interface; null: the language that the browser requests. */
  language: text('language', { enum: languageCodes }),
  /** JSON array: ids of the sites that the user may work on; null: all. */
  sites: text('sites', { mode: 'json' }).$type<readonly string[]>(),
  createdAt: date('created_at').notNull(),
  updatedAt: date('updated_at').notNull(),
});

/** Browsers in which users are signed in (better-auth calls them sessions; our sessions are conversations). */
export const signIns = sqliteTable(
  'sign_ins',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    token: text('token').notNull().unique(),
    expiresAt: date('expires_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    /**
     * When the person last proved their identity, if that differs from `created_at`: the `auth_time` of an OpenID
     * Connect provider (0: it sent none), or the time of a one-time code. Null: `created_at`.
     */
    authenticatedAt: date('authenticated_at'),
    createdAt: date('created_at').notNull(),
    updatedAt: date('updated_at').notNull(),
  },
  (t) => [index('sign_ins_user').on(t.userId)],
);

/** Users' sign-in data; passwords are hashed. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    password: text('password'),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: date('access_token_expires_at'),
    refreshTokenExpiresAt: date('refresh_token_expires_at'),
    scope: text('scope'),
    createdAt: date('created_at').notNull(),
    updatedAt: date('updated_at').notNull(),
  },
  (t) => [index('accounts_user').on(t.userId)],
);

/** Short-lived tokens of better-auth, and our one-time secrets (server/platform/auth/verifications). */
export const verifications = sqliteTable(
  'verifications',
  {
    id: text('id').primaryKey(),
    identifier: text('identifier').notNull(),
    value: text('value').notNull(),
    expiresAt: date('expires_at').notNull(),
    createdAt: date('created_at').notNull(),
    updatedAt: date('updated_at').notNull(),
  },
  (t) => [index('verifications_identifier').on(t.identifier)],
);

/** Authenticator apps for one-time codes; the secret and the recovery codes are encrypted with `AUTH_SECRET`. */
export const twoFactors = sqliteTable(
  'two_factors',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    secret: text('secret').notNull(),
    backupCodes: text('backup_codes').notNull(),
    /** True after a first correct code: from then on, codes are required. */
    verified: integer('verified', { mode: 'boolean' }).notNull().default(false),
    failedVerificationCount: integer('failed_verification_count').notNull().default(0),
    lockedUntil: date('locked_until'),
  },
  (t) => [index('two_factors_user').on(t.userId)],
);

/** Public keys of passkeys. */
export const passkeys = sqliteTable(
  'passkeys',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name'),
    publicKey: text('public_key').notNull(),
    credentialID: text('credential_id').notNull().unique(),
    counter: integer('counter').notNull(),
    deviceType: text('device_type').notNull(),
    backedUp: integer('backed_up', { mode: 'boolean' }).notNull(),
    transports: text('transports'),
    aaguid: text('aaguid'),
    createdAt: date('created_at'),
  },
  (t) => [index('passkeys_user').on(t.userId)],
);

/** API keys of programs. The key itself is not stored. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    /** User on whose behalf the key acts. */
    userId: text('user_id').notNull(),
    name: text('name').notNull(),
    /** The beginning of the key, so that people recognise it. */
    prefix: text('prefix').notNull(),
    /** SHA-256 of the key, hexadecimal. */
    hash: text('hash').notNull().unique(),
    /** JSON array (core/admin/access-rights). */
    scopes: text('scopes').notNull(),
    /** Client that a person connected with OAuth: the row is a grant, and only tokens of `oauth_tokens` use it. Null: a key. */
    oauthClientId: text('oauth_client_id'),
    expiresAt: integer('expires_at'),
    /** Rounded to the minute. */
    lastUsedAt: integer('last_used_at'),
    revokedAt: integer('revoked_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('api_keys_user_created').on(t.userId, t.createdAt)],
);

/** Programs that registered to be connected with OAuth (RFC 7591). All are public clients, so there is no secret. */
export const oauthClients = sqliteTable(
  'oauth_clients',
  {
    /** The `client_id`. */
    id: text('id').primaryKey(),
    /** As the program calls itself; not verified. */
    name: text('name').notNull(),
    /** Where codes may be sent. */
    redirectUris: text('redirect_uris', { mode: 'json' }).$type<readonly string[]>().notNull(),
    /** When a person's grant was last used to issue tokens; null: never. */
    lastUsedAt: integer('last_used_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('oauth_clients_used').on(t.lastUsedAt, t.createdAt)],
);

/** Authorization codes; the code itself is not stored. A used one stays until it expires, to recognise a second use. */
export const oauthCodes = sqliteTable(
  'oauth_codes',
  {
    /** SHA-256 of the code, hexadecimal. */
    hash: text('hash').primaryKey(),
    clientId: text('client_id')
      .notNull()
      .references(() => oauthClients.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Id of the row of `api_keys` that the code creates. */
    grantId: text('grant_id').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    /** PKCE with S256. */
    codeChallenge: text('code_challenge').notNull(),
    /** JSON array: what the person agreed to. */
    scopes: text('scopes', { mode: 'json' }).$type<readonly Scope[]>().notNull(),
    usedAt: integer('used_at'),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [
    index('oauth_codes_client').on(t.clientId),
    index('oauth_codes_expires').on(t.expiresAt),
    index('oauth_codes_user').on(t.userId),
  ],
);

/** Access and refresh tokens of grants; the tokens themselves are not stored. */
export const oauthTokens = sqliteTable(
  'oauth_tokens',
  {
    /** SHA-256 of the token, hexadecimal. */
    hash: text('hash').primaryKey(),
    grantId: text('grant_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    /** `family`: hash of the secret that all refresh tokens of the grant have in common; recognises used ones. */
    kind: text('kind', { enum: ['access', 'refresh', 'family'] }).notNull(),
    /** Time of the exchange of a refresh token: of the one before the newest, or of one that an earlier version issued. */
    usedAt: integer('used_at'),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('oauth_tokens_expires').on(t.expiresAt), index('oauth_tokens_grant').on(t.grantId)],
);

/** Audit log: sign-ins, keys, changed settings, deletions. Rows are only added, and the oldest are dropped. */
export const auditEntries = sqliteTable(
  'audit_entries',
  {
    id: text('id').primaryKey(),
    action: text('action').notNull(),
    /** Null: unknown person (a failed sign-in). */
    userId: text('user_id'),
    keyId: text('key_id'),
    /** The actor's name at that time. */
    actorName: text('actor_name').notNull(),
    /** JSON (core/coded-message CodedMessage): the name as data. Null for names of people, and in rows of earlier versions. */
    actorMessage: text('actor_message'),
    /** Display name of the affected thing. */
    target: text('target'),
    /** JSON (core/coded-message CodedMessage): the target as data. Null for other names, and in rows of earlier versions. */
    targetMessage: text('target_message'),
    /** JSON object. */
    details: text('details'),
    ipAddress: text('ip_address'),
    requestId: text('request_id'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('audit_entries_created').on(t.createdAt, t.id),
    index('audit_entries_action').on(t.action, t.createdAt, t.id),
    index('audit_entries_user').on(t.userId, t.createdAt, t.id),
  ],
);
