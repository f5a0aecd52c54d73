import { z } from 'zod';
import { NotFoundError, RateLimitedError } from '#server/core/errors';
import {
  type CommentOutcome,
  MAX_COMMENT_CHARS,
  MAX_COMMENTER_CHARS,
} from '#server/core/site/preview/preview-comments';
import { HONEYPOT_FIELD } from '#server/core/site/site-forms';
import { line, requiredProse } from '#server/core/text/safe-text';
import type { CommentLimits } from '#server/platform/auth/limits';
import type { ContentBackend } from '#server/site/content-backend';
import type { PreviewLinks } from '#server/site/public/preview-links';
import type { PreviewCommentStore } from '#server/site/store/preview-comment-repository';

/** What receiving a comment needs. */
interface CommentDeps {
  /** Content of the built-in site. */
  readonly content: ContentBackend;
  readonly links: PreviewLinks;
  readonly comments: PreviewCommentStore;
  readonly limits: CommentLimits;
}

const commentFields = z.object({
  section: z.string().max(80),
  name: line(MAX_COMMENTER_CHARS),
  // Browsers send line ends as CRLF.
  text: z
    .string()
    .max(2 * MAX_COMMENT_CHARS)
    .transform((text) => text.replaceAll('\r\n', '\n').trim())
    .pipe(requiredProse(MAX_COMMENT_CHARS)),
});

/**
 * Receives a comment that was sent with a preview link. It can only be about the draft that the link shows.
 * @param given fields of the form
 * @param client network address of the sender
 * @returns null for a secret that opens nothing
 */
export async function receiveComment(
  { content, links, comments, limits }: CommentDeps,
  secret: string,
  given: URLSearchParams,
  client: string,
): Promise<CommentOutcome | null> {
  const link = await links.find(secret);
  if (link === null) return null;
  const field = (name: string) => given.get(name) ?? '';
  const read = commentFields.safeParse({ section: field('section'), name: field('name'), text: field('text') });
  // The trap is a field that people do not see.
  if (!read.success || field(HONEYPOT_FIELD) !== '') return 'refused';
  const { section, name, text } = read.data;
  try {
    const { draft } = await content.get(link.entryId);
    const sectionId = draft.sections.find(({ id }) => id === section)?.id ?? null;
    await limits.comment(client);
    const isStored = await comments.add({ entryId: link.entryId, linkId: link.id, sectionId, name, text });
    return isStored ? 'sent' : 'full';
  } catch (error) {
    if (error instanceof RateLimitedError) return 'often';
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
