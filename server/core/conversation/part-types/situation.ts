import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { MAX_PART_ENTRIES } from '#server/core/conversation/part-types/common-part-fields';
import { definePart } from '#server/core/conversation/part-types/part-definition';
import { components } from '#server/core/shapes';

/** Page that the user has open in the preview. */
export const previewSchema = z
  .object({
    path: z.string().min(1).max(500).describe('Path on the site, `/` for the home page'),
    state: z.enum(['draft', 'published']).describe('Version of the page that the preview shows'),
    section: z.string().min(1).max(80).optional().describe('Id of the selected section on it'),
  })
  .describe('A page that is open in the preview')
  .register(components, { id: 'OpenPreview' });

/** Name of a time zone that this server knows, such as `Europe/Berlin`. */
export const zoneSchema = z.string().min(1).max(60).refine(isTimeZone, valueRules.timeZone);

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Key of the fact that says how full the context window is. */
export const WINDOW_KEY = 'window';

/** The environment context: what the app tells a model together with the user's words. */
export const situation = definePart({
  content: z
    .object({
      text: z.string().describe('Text for the model; empty until the turn of its message starts'),
      preview: previewSchema.optional().describe("Page in the sender's preview; absent: none was open"),
      chosen: z
        .string()
        .optional()
        .describe(
          'Text about the selected section, which explains "this" in the user\'s words; absent: none was selected',
        ),
      zone: zoneSchema.optional().describe("Time zone of the sender's browser; absent: the server's is used"),
      facts: boundedRecord(z.string(), z.string(), MAX_PART_ENTRIES)
        .optional()
        .describe(
          'Lines that are valid from here on, by subject, including earlier ones; `text` contains only what is new',
        ),
      siteId: z.string().optional().describe('Id of the site that the lines are about, as `GET /api/sites` names it'),
      changeId: z
        .string()
        .nullable()
        .optional()
        .describe('Id of the newest change of the site at that time; null: the site had none'),
      changeRevision: z
        .number()
        .int()
        .optional()
        .describe('Revision of that change, because continued typing extends a change'),
      isFull: z
        .boolean()
        .optional()
        .describe('True if it contains everything, not only the differences from the previous one. Absent: false'),
    })
    .describe('The environment context that the app added to a message: information, never words of the user'),
  added: {
    tag: 'situation',
    text: ({ text }) => (text.trim() === '' ? null : `Information from the app, not a request.\n${text}`),
  },
  recordEntry: ({ chosen }) => (chosen === undefined ? null : ['pointed at', chosen]),
  isFromEngine: true,
});
