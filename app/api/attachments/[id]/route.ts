import { content } from '#server/http/schemas/route-answer';
import { attachmentResponse } from '#server/http/attachments';
import { findAttachment } from '#server/http/find-for-caller';
import { route } from '#server/http/route';
import { attachmentParams } from '#server/http/schemas/attachments';

export const GET = route(
  {
    summary: 'The bytes of an attachment',
    answer: { 200: content('*/*', 'An image as it is, anything else as plain text.') },
    access: 'chat',
    params: attachmentParams,
  },
  async ({ params, services, anySession }) => {
    const { blob, data } = await findAttachment(params.id, { services, anySession });
    return attachmentResponse(blob, data);
  },
);
