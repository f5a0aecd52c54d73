import { z } from 'zod';
import { idOf, json, pageOf, type Shape, time } from '#server/core/shapes';

/** Actions in the audit log. */
export const auditActions = [
  'owner-created',
  'sign-in',
  'sign-in-failed',
  'sign-out',
  'password-changed',
  'second-factor-added',
  'second-factor-removed',
  'user-created',
  'user-changed',
  'user-deleted',
  'password-link-made',
  'password-link-used',
  'key-created',
  'key-revoked',
  'key-work-ended',
  'settings-changed',
  'provider-connected',
  'provider-disconnected',
  'tool-server-created',
  'tool-server-changed',
  'tool-server-deleted',
  'tool-server-tested',
  'site-connected',
  'site-changed',
  'site-activated',
  'site-disconnected',
  'standing-instructions-changed',
  'menu-changed',
  'site-settings-changed',
  'content-deleted',
  'content-restored',
  'content-published',
  'content-unpublished',
  'content-scheduled',
  'media-changed',
  'media-deleted',
  'media-restored',
  'changes-undone',
  'tool-run',
  'call-approved',
  'call-denied',
  'session-deleted',
  'submissions-deleted',
  'submissions-exported',
  'submissions-kept',
  'database-backed-up',
  'database-restored',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One action, with its actor, time and origin. */
const auditEntrySchema = z.strictObject({
  id: idOf('aud'),
  action: z.enum(auditActions),
  /** Null: unknown (a failed sign-in). */
  userId: z.string().nullable(),
  /** Id of the API key that was used; null: none. */
  keyId: z.string().nullable(),
  /** Name of the person or key at that time. */
  actorName: z.string(),
  /** Name of the thing it was done to, for a person; null: none of its own. */
  target: z.string().nullable(),
  /** Other facts; no secrets. */
  details: z.record(z.string(), json).nullable(),
  /** Address of the client; null where it is unknown. */
  ipAddress: z.string().nullable(),
  /** The request's, as in the logs. */
  requestId: z.string().nullable(),
  createdAt: time,
});
export type AuditEntry = Shape<typeof auditEntrySchema>;

/** Newest first. */
export const auditPageAnswer = pageOf(auditEntrySchema);
export type AuditPage = Shape<typeof auditPageAnswer>;

export interface AuditQuery {
  readonly action?: AuditAction | undefined;
  readonly userId?: string | undefined;
  /** End of the last page. */
  readonly cursor?: string | undefined;
  /** 1 to 200. Default 50. */
  readonly limit?: number | undefined;
}
