import { z } from 'zod';
import type { ContentBackend } from '#server/content/content-backend';
import type { Entry, PatchOp, Seo } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { draftEffect } from '#server/tools/effects';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryResult } from '#server/tools/results';
import { parentInput, refInput, seoInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

const details = z.object({
  title: z.string().min(1).max(300).optional(),
  slug: z.string().optional(),
  excerpt: z.string().optional(),
  author: z.string().optional(),
  tags: z.array(z.string()).optional(),
  image: z.string().optional().describe('URL'),
  parent: parentInput,
  seo: seoInput,
});

/** Changes the details of an entry (title, slug, parent, ...), not its sections. */
export const updateContent = defineTool({
  name: 'update_content',
  description: 'Change details of a page or post; "" clears one.',
  input: z.object({ ref: refInput, ...details.shape }),
  writes: true,
  async effect({ ref, ...changes }, context) {
    const entry = await resolveEntry(context.content, ref);
    return draftEffect(context, entry, await toOperations(changes, entry, context.content));
  },
  async execute({ ref, ...changes }, { content, origin }) {
    const entry = await resolveEntry(content, ref);
    // What it says to search engines is written whole, with what was read of it.
    const options = changes.seo === undefined ? {} : { ifRevision: entry.revision };
    return entryResult(await content.patch(entry.id, await toOperations(changes, entry, content), origin, options));
  },
});

/** @throws InvalidInputError where nothing changes */
async function toOperations(
  changes: z.infer<typeof details>,
  { draft }: Entry,
  content: ContentBackend,
): Promise<PatchOp[]> {
  const { title, slug, parent, seo, ...clearable } = changes;
  const operations: PatchOp[] = [];
  if (title !== undefined) operations.push({ op: 'set', field: 'title', value: title });
  if (slug !== undefined) operations.push({ op: 'set', field: 'slug', value: slug });
  for (const field of ['excerpt', 'author', 'tags', 'image'] as const) {
    const value = clearable[field];
    if (value === undefined) continue;
    operations.push(value.length === 0 ? { op: 'unset', field } : { op: 'set', field, value });
  }
  if (parent === '') operations.push({ op: 'unset', field: 'parent' });
  else if (parent !== undefined) {
    operations.push({ op: 'set', field: 'parent', value: (await resolveEntry(content, parent)).id });
  }
  if (seo !== undefined) operations.push({ op: 'set', field: 'seo', value: withoutEmpty({ ...draft.seo, ...seo }) });
  if (operations.length === 0) throw new InvalidInputError('Name at least one detail to change.');
  return operations;
}

/** What is left of it when "" clears; an empty one is none. */
function withoutEmpty(seo: Seo): Record<string, JsonValue> {
  const entries = Object.entries(seo).flatMap(([name, value]) =>
    value === '' || value === undefined ? [] : [[name, value]],
  );
  return Object.fromEntries(entries) as Record<string, JsonValue>;
}
