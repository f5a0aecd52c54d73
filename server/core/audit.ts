import type { JsonValue } from '#server/core/json';

/** What the audit log tells of. */
export const auditActions = [
  'owner-created',
  'sign-in',
  'sign-in-failed',
  'sign-out',
  'password-changed',
  'user-created',
  'user-changed',
  'user-deleted',
  'key-created',
  'key-revoked',
  'key-work-ended',
  'settings-changed',
  'tool-server-created',
  'tool-server-changed',
  'tool-server-deleted',
  'tool-server-tested',
  'site-connected',
  'site-changed',
  'site-activated',
  'site-disconnected',
  'standing-instructions-changed',
  'content-deleted',
  'content-published',
  'content-unpublished',
  'media-deleted',
  'changes-undone',
  'tool-run',
  'call-approved',
  'call-denied',
  'session-deleted',
  'database-backed-up',
  'database-restored',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Who did what, when, and from where. */
export interface AuditEntry {
  readonly id: string;
  readonly action: AuditAction;
  /** Null: nobody we know (a failed sign-in). */
  readonly userId: string | null;
  /** Of the API key that was used; null: none. */
  readonly keyId: string | null;
  /** As it was called then: a person, or a key. */
  readonly actorName: string;
  /** What it was done to, for a person; null: nothing of its own. */
  readonly target: string | null;
  /** What else there is to say; no secrets. */
  readonly details: { readonly [name: string]: JsonValue } | null;
  /** Of the client; null where nobody said. */
  readonly ipAddress: string | null;
  /** The request's, as in the logs. */
  readonly requestId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface AuditQuery {
  readonly action?: AuditAction | undefined;
  readonly userId?: string | undefined;
  /** Where the last page ended. */
  readonly cursor?: string | undefined;
  /** 1 to 200. Default 50. */
  readonly limit?: number | undefined;
}

export interface AuditPage {
  /** Newest first. */
  readonly items: readonly AuditEntry[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}
