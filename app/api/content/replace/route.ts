import { replacementSchema } from '#server/core/site/bulk/replacements';
import { route } from '#server/http/route';
import { replaceBody } from '#server/http/schemas/batch';
import { tryQuery } from '#server/http/schemas/journal';
import { InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';

export const POST = route(
  {
    summary: 'Replaces a text in drafts, as one edit with one undo; a dry run lists every place before and after',
    answer: replacementSchema,
    access: 'content:draft',
    query: tryQuery,
    body: replaceBody,
  },
  async ({ query: { dryRun = false }, body, origin, services: { content, replaceTexts } }) => {
    if (!dryRun && body.entries === undefined) throw new InvalidInputError(serverText('replace-names-no-entries'));
    return replaceTexts(content, body, origin, { dryRun });
  },
);
