import { z } from 'zod';
import { idOf } from '#server/http/schemas/answers/fields';
import { components } from '#server/http/schemas/components';

export const attachmentSchema = z
  .strictObject({
    id: idOf('blb'),
    url: z.string().regex(/^\/api\/attachments\/blb_[0-9a-z]{26}$/),
    mediaType: z.string().min(1),
    filename: z.string().min(1).max(100),
    size: z.number().int().min(1).describe('Bytes'),
    width: z.number().int().min(1).optional().describe('Pixels'),
    height: z.number().int().min(1).optional().describe('Pixels'),
  })
  .register(components, { id: 'Attachment' });
