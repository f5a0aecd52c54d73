import { z } from 'zod';
import { codedMessageSchema } from '#server/core/coded-message';
import { components, count, type Shape } from '#server/core/shapes';

/** What an export of the published site as static files would contain, and what is in its way. */
export const staticSiteSchema = z
  .strictObject({
    address: z.string().min(1).describe('Origin at which the exported site will be served'),
    pages: count.describe('Number of pages that the export would contain'),
    problems: z
      .array(
        z.strictObject({
          page: z.string().min(1).describe('Title and path of the page that has it'),
          message: z.string().min(1).describe('Names the link or the picture'),
          reason: codedMessageSchema.nullable().describe('`message` as data; null: it has none'),
        }),
      )
      .describe('What keeps the site from being exported; empty: nothing'),
    notes: z
      .array(z.string().min(1))
      .describe('What becomes of forms, where there are any, and which redirects lead nowhere'),
    noteMessages: z.array(codedMessageSchema).describe('`notes` as data, in the same order'),
  })
  .register(components, { id: 'StaticSite' });
export type StaticSite = Shape<typeof staticSiteSchema>;
