import { and, count, desc, eq, isNull } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { PreviewComment } from '#server/core/site/preview/preview-comments';
import type { Database } from '#server/platform/database/database';
import { previewComments } from '#server/platform/database/schema/content';

/** A comment before it is stored. */
interface NewComment {
  readonly entryId: string;
  readonly linkId: string;
  readonly sectionId: string | null;
  readonly name: string;
  readonly text: string;
}

/** An open comment with the entry that it is about. */
export type OpenComment = PreviewComment & { readonly entryId: string };

/** Storage of comments on drafts. */
export interface PreviewCommentStore {
  /** Stores a comment. False: as many have come through its link, or are stored for its entry, as there may be. */
  add(comment: NewComment): Promise<boolean>;
  /** The comments on an entry, newest first. */
  list(entryId: string): Promise<PreviewComment[]>;
  /** The newest comments that are open, on any entry. */
  open(limit: number): Promise<OpenComment[]>;
  /** Marks a comment as done, or as open again. @throws NotFoundError */
  resolve(entryId: string, id: string, isResolved: boolean): Promise<PreviewComment>;
  /** Deletes a comment for good. @throws NotFoundError */
  remove(entryId: string, id: string): Promise<void>;
}

/** Limits against flooding; choices, not measured. */
const MAX_PER_LINK = 100;
const MAX_PER_ENTRY = 500;

/** Creates the storage. @param now epoch milliseconds */
export function createPreviewCommentRepository(db: Database, now: () => number): PreviewCommentStore {
  const { id, entryId, linkId, sectionId, name, text, createdAt, resolvedAt } = previewComments;
  const shown = { id, sectionId, name, text, createdAt, resolvedAt };
  const one = (entry: string, comment: string) => and(eq(entryId, entry), eq(id, comment));
  return {
    add: (comment) =>
      db.write(async (tx) => {
        const [ofLink] = await tx.select({ n: count() }).from(previewComments).where(eq(linkId, comment.linkId));
        const [ofEntry] = await tx.select({ n: count() }).from(previewComments).where(eq(entryId, comment.entryId));
        if ((ofLink?.n ?? 0) >= MAX_PER_LINK || (ofEntry?.n ?? 0) >= MAX_PER_ENTRY) return false;
        await tx.insert(previewComments).values({ ...comment, id: createId('cmt'), createdAt: now() });
        return true;
      }),
    list: (entry) =>
      db.read.select(shown).from(previewComments).where(eq(entryId, entry)).orderBy(desc(createdAt), desc(id)),
    open: (limit) =>
      db.read
        .select({ ...shown, entryId })
        .from(previewComments)
        .where(isNull(resolvedAt))
        .orderBy(desc(createdAt), desc(id))
        .limit(limit),
    resolve: (entry, comment, isResolved) =>
      db.write(async (tx) => {
        const [changed] = await tx
          .update(previewComments)
          .set({ resolvedAt: isResolved ? now() : null })
          .where(one(entry, comment))
          .returning(shown);
        if (!changed) throw new NotFoundError('comment', comment);
        return changed;
      }),
    remove: (entry, comment) =>
      db.write(async (tx) => {
        const removed = await tx.delete(previewComments).where(one(entry, comment)).returning({ id });
        if (removed.length === 0) throw new NotFoundError('comment', comment);
      }),
  };
}
