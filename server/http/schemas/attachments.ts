import { z } from 'zod';

/* Requests for attachments: files that a person adds to a message. */

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
