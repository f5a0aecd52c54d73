import { content } from '#server/http/schemas/answer';
import { attachmentResponse } from '#server/http/files';
import { anyAttachment } from '#server/http/find-for-caller';
import { route } from '#server/http/route';
import { attachmentParams } from '#server/http/schemas/files';

export const GET = route(
  {
    summary: 'The bytes of an attachment',
    answer: { 200: content('*/*', 'An image as it is, anything else as plain text.') },
    access: 'chat',
    params: attachmentParams,
  },
  async ({ params, services, anySession }) => {
    const { blob, data } = await anyAttachment(params.id, { services, anySession });
    return attachmentResponse(blob, data);
  },
);
