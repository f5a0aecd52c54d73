import { attachmentSchema } from '#server/core/conversation/part-types/blobs';
import { MAX_IMAGE_BYTES } from '#server/core/limits';
import { attachmentItem } from '#server/http/attachments';
import { created } from '#server/http/json-responses';
import { bytesBody } from '#server/http/read-body';
import { route } from '#server/http/route';
import { attachmentQuery } from '#server/http/schemas/attachments';
import { sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Keeps a file, sent as it is, for a message to come',
    answer: { 201: attachmentSchema },
    access: 'chat',
    params: sessionParams,
    query: attachmentQuery,
    body: bytesBody,
    mediaTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'text/plain'],
    // The limit of images, the largest files; `keep` has a lower one for text files.
    bodyLimit: MAX_IMAGE_BYTES,
  },
  async ({ params, query, body, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    return created(attachmentItem(await services.attachments.keep(id, query.filename, body)));
  },
);
