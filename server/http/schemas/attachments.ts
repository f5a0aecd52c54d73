import { z } from 'zod';
import { components } from '#server/http/schemas/components';
import { idOf } from '#server/http/schemas/fields';

export const attachmentParams = z.object({
  id: z.string().regex(/^blb_[0-9a-z]{26}$/, 'is not the id of an attachment'),
});

export const attachmentQuery = z.object({
  filename: z
    .string()
    .min(1)
    .max(255)
    .default('')
    .describe('What the file is called; only for people and models to read'),
});

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
