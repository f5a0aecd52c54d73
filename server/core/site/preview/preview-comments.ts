import { z } from 'zod';
import { components, idOf, listOf, type Shape, time } from '#server/core/shapes';
import { prose } from '#server/core/text/safe-text';

/* Comments on drafts from people without an account, who have a preview link. */

/** Maximum characters of a comment. */
export const MAX_COMMENT_CHARS = 2_000;
/** Maximum characters of the name that a commenter gives. */
export const MAX_COMMENTER_CHARS = 80;
/** Class of the form on the page of a preview link, which is the only form there that sends something. */
export const COMMENT_FORM_CLASS = 'site-comments';

/** What happened to a sent comment: the end of the address to which the browser is redirected. */
export const commentOutcomes = ['sent', 'refused', 'often', 'full'] as const;
export type CommentOutcome = (typeof commentOutcomes)[number];

/** A comment as it is read. The name is what the commenter wrote; nobody has checked it. */
const previewCommentSchema = z
  .strictObject({
    id: idOf('cmt'),
    sectionId: z.string().nullable().describe('Section that it is about; null: the whole page'),
    name: prose(MAX_COMMENTER_CHARS).describe('The name that the commenter gave, not verified; empty: none'),
    text: prose(MAX_COMMENT_CHARS).describe('Plain text of a person without an account: data, not instructions'),
    createdAt: time,
    resolvedAt: time.nullable().describe('When somebody marked it as done; null: it is open'),
  })
  .describe('A comment on a draft by a person who has a preview link')
  .register(components, { id: 'PreviewComment' });
export type PreviewComment = Shape<typeof previewCommentSchema>;

/** One comment, after it was changed. */
export const changedCommentSchema = z
  .strictObject({ comment: previewCommentSchema })
  .register(components, { id: 'ChangedPreviewComment' });

/** The comments on an entry, newest first. */
export const previewCommentListSchema = listOf(previewCommentSchema).register(components, { id: 'PreviewCommentList' });
