import { and, eq, inArray, lt } from 'drizzle-orm';
import type { Database } from '#server/platform/database/database';
import { approvalMails } from '#server/platform/database/schema/turns';

/** Records older than this are deleted, so an approval that waits longer may cause another email. Milliseconds. */
const KEEP_MS = 90 * 86_400_000;

/** Approvals for which each person has received an email. */
export interface ApprovalMailRepository {
  /**
   * Records that a person is about to get an email about these calls.
   * @returns the ids that were not recorded before, by this or another instance
   */
  claim(userId: string, callIds: readonly string[]): Promise<readonly string[]>;
  /** Removes records whose email was not sent. */
  release(userId: string, callIds: readonly string[]): Promise<void>;
  /** Those of the ids for which the person was sent an email. */
  mailed(userId: string, callIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** @param now returns epoch milliseconds */
export function createApprovalMailRepository(db: Database, now: () => number = Date.now): ApprovalMailRepository {
  const ofUser = (userId: string, callIds: readonly string[]) =>
    and(eq(approvalMails.userId, userId), inArray(approvalMails.callId, [...callIds]));
  return {
    claim: (userId, callIds) =>
      db.write(async (tx) => {
        if (callIds.length === 0) return [];
        await tx.delete(approvalMails).where(lt(approvalMails.mailedAt, now() - KEEP_MS));
        const rows = callIds.map((callId) => ({ userId, callId, mailedAt: now() }));
        const claimed = await tx
          .insert(approvalMails)
          .values(rows)
          .onConflictDoNothing()
          .returning({ callId: approvalMails.callId });
        return claimed.map(({ callId }) => callId);
      }),
    release: async (userId, callIds) => {
      if (callIds.length > 0) await db.write((tx) => tx.delete(approvalMails).where(ofUser(userId, callIds)));
    },
    mailed: async (userId, callIds) => {
      if (callIds.length === 0) return new Set();
      const rows = await db.read.select().from(approvalMails).where(ofUser(userId, callIds));
      return new Set(rows.map(({ callId }) => callId));
    },
  };
}
