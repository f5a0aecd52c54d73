import type { Scope } from '#server/core/principal';

/** An API key, as its owner sees it: never the key itself. */
export interface ApiKey {
  readonly id: string;
  /** Whom it acts for. */
  readonly userId: string;
  /** For people: what it is used by. */
  readonly name: string;
  /** The beginning of the key, so that people recognize it. */
  readonly prefix: string;
  /** What it was made for; it may never do more than its user. */
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
  /** To the minute; null: never. */
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}

/** A key in a list of everybody's. */
export interface OwnedApiKey extends ApiKey {
  /** Name of its user; null: there is no such person (any more). */
  readonly userName: string | null;
}

/** What a new key is to be. */
export interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
}
