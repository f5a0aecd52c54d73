import type { RecordAction } from '#server/core/admin/audit';
import { NotFoundError } from '#server/core/errors';
import { clientOf } from '#server/platform/auth/trusted-headers';
import type { RevokedGrant, TheftSign } from '#server/core/oauth/authorization-request';
import type { Services } from '#server/services';

/** Maximum bytes of a form or of a client's metadata. */
export const OAUTH_BODY_BYTES = 16_000;

/** @throws NotFoundError in local mode, which has nobody who could agree */
export function requireOAuth({ oauth }: Services): NonNullable<Services['oauth']> {
  if (!oauth) throw new NotFoundError('address', 'oauth');
  return oauth;
}

/** Counts a registration of the sender's address. @throws RateLimitedError */
export async function countRegistration({ limits }: Services, { headers }: Request): Promise<void> {
  await limits.registration(clientOf(headers).address);
}

/** Ends the event streams of a grant that was revoked, and records who lost it. */
export async function noteDisconnected(
  { rightsChanged }: Services,
  audit: RecordAction,
  { id, userId, name }: RevokedGrant,
  reason?: TheftSign,
): Promise<void> {
  rightsChanged(userId);
  await audit('key-revoked', {
    userId,
    actorName: name,
    target: name,
    details: { keyId: id, ...(reason && { reason }) },
  });
}

/** Reads `application/x-www-form-urlencoded`. */
export function formOf(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(new TextDecoder().decode(body));
}
