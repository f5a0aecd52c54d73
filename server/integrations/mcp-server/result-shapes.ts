import { z } from 'zod';
import { siteSettingsSchema } from '#server/core/site/content';
import type { ToolInputSchema } from '#server/tools/tool';

/*
 * Shapes of results, for the programs of other assistants (MCP 2025-11-25, server/tools, "Output Schema"). Tools whose
 * results differ by their input have none. Values are described loosely: a client refuses the whole result for one field
 * that does not match, and connected sites have values that we would not accept.
 */

const text = z.string();
const time = text.describe('ISO 8601');
const day = text.describe('YYYY-MM-DD');
const total = z.number().describe('of all pages of the list');
const cursor = text.optional().describe('of the next page');

const entryLine = z.object({
  id: text,
  title: text,
  slug: text,
  path: text.optional(),
  status: text.describe('draft, published, changed or trashed'),
  kind: text.optional(),
  terms: z.record(text, z.unknown()).optional(),
  alsoIs: z.array(text).optional(),
  publishAt: time.optional(),
  plan: text.optional(),
  updated: day.optional(),
  published: day.optional(),
  author: text.optional(),
  tags: z.array(text).optional(),
  excerpt: text.optional(),
  sections: z.number().describe('how many it has'),
});

const picture = z.object({
  id: text,
  url: text,
  filename: text,
  alt: text.nullable().describe('null: not described'),
  size: text.describe('width x height in pixels'),
  tags: z.array(text).optional(),
  used_in: z.array(text).describe('titles of pages and posts'),
});

/** Shapes of results by the names of tools. */
export const resultShapes: Readonly<Record<string, z.ZodObject>> = {
  list_content: z.object({
    statuses: text.optional(),
    now: time.optional(),
    total,
    cursor,
    items: z.array(entryLine),
  }),
  list_media: z.object({ total, cursor, items: z.array(picture), note: text.optional() }),
  get_navigation: z.object({
    items: z.array(z.object({ label: text, href: text, children: z.array(z.looseObject({})).optional() })),
    visitors_do_not_see: z.array(text).optional(),
  }),
  get_settings: z.object(
    Object.fromEntries(Object.keys(siteSettingsSchema.shape).map((name) => [name, text.optional()])),
  ),
};

/**
 * The schema of a tool's results; undefined if they have no fixed shape. No field is required: a result that was cut
 * because it is too long, and one that waits for a person, hold `message` instead.
 */
export function outputSchemaOf(toolName: string): ToolInputSchema | undefined {
  const shape = resultShapes[toolName];
  if (shape === undefined) return undefined;
  const message = text.describe('what to do, if the rest is missing; the text of a result that was cut');
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape.extend({ message }).partial(), {
    io: 'input',
    reused: 'inline',
  });
  return { ...schema, type: 'object' };
}
