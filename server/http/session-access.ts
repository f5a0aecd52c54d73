import type { Session } from '#server/core/conversation/sessions';
import { NotFoundError } from '#server/core/errors';
import { includesSite } from '#server/core/admin/site-access';
import { allows, type Principal } from '#server/core/admin/access-rights';
import type { Services } from '#server/services';

/* Finds the session of a request for its caller, and records when an administrator reads another person's session. */

/**
 * Finds a session that the principal may use: their own or, with `isAdminAllowed`, any session for an administrator.
 * @throws NotFoundError if the session does not exist or the principal may not see it: the caller cannot tell the
 * difference
 */
export async function findSession(
  { sessions }: Services,
  id: string,
  principal: Principal | null,
  isAdminAllowed = false,
): Promise<Session> {
  const session = await sessions.get(id);
  const isOwn = session.ownerId === principal?.userId;
  const isAllowed = isOwn || (isAdminAllowed && principal && allows(principal.scopes, 'admin'));
  if (isAllowed && principal && includesSite(principal.sites, session.siteId)) return session;
  throw new NotFoundError('session', id);
}

/** Time within which further reads of a conversation by the same caller are not recorded; milliseconds. */
const RECORD_INTERVAL_MS = 60 * 60_000;
/** Maximum number of reads that are remembered; a forgotten one is recorded again. */
const MAX_REMEMBERED_READS = 10_000;
/** Epoch milliseconds of the last recorded read, by caller and conversation; oldest first. */
const recordedReads = new Map<string, number>();

/** Records in the audit log that a caller reads the conversation of another person. */
export async function auditReading(
  { audit }: Services,
  principal: Principal,
  { id, title, ownerId }: Session,
  { method, headers }: Request,
): Promise<void> {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || ownerId === principal.userId) return;
  const key = `${principal.userId} ${principal.keyId ?? ''} ${id}`;
  const now = Date.now();
  if (now - (recordedReads.get(key) ?? 0) < RECORD_INTERVAL_MS) return;
  recordedReads.delete(key);
  recordedReads.set(key, now);
  const [oldest] = recordedReads.keys();
  if (recordedReads.size > MAX_REMEMBERED_READS && oldest !== undefined) recordedReads.delete(oldest);
  await audit.record(principal, 'session-read', { target: title, details: { id, ownerId }, headers });
}
