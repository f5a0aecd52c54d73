import type { ChangeOrigin } from '#server/core/content';

/**
 * The conversation in which a change was asked for, where its reader may open it: one's own. Null: none, as for what an
 * import did, which goes by the import's id.
 * @param readerId undefined: not known yet
 */
export function conversationOf(
  { sessionId, userId }: Pick<ChangeOrigin, 'sessionId' | 'userId'>,
  readerId: string | undefined,
): string | null {
  if (sessionId?.startsWith('ses_') !== true) return null;
  return userId === undefined || userId === readerId ? sessionId : null;
}
