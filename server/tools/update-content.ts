import { z } from 'zod';
import type { PatchOp } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryResult } from '#server/tools/results';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

const details = z.object({
  title: z.string().min(1).max(300).optional(),
  slug: z.string().optional(),
  excerpt: z.string().optional(),
  author: z.string().optional(),
  tags: z.array(z.string()).optional(),
  image: z.string().optional().describe('URL'),
});

/** Changes the details of an entry (its title, slug, excerpt, author, tags, image), not its sections. */
export const updateContent = defineTool({
  name: 'update_content',
  description: 'Change details of a page or post; "" clears one.',
  input: z.object({ ref: refInput, ...details.shape }),
  writes: true,
  async execute({ ref, ...changes }, { content, origin }) {
    const operations = toOperations(changes);
    if (operations.length === 0) throw new InvalidInputError('Name at least one detail to change.');
    const entry = await resolveEntry(content, ref);
    return entryResult(await content.patch(entry.id, operations, origin));
  },
});

function toOperations(changes: z.infer<typeof details>): PatchOp[] {
  const { title, slug, ...clearable } = changes;
  const operations: PatchOp[] = [];
  if (title !== undefined) operations.push({ op: 'set', field: 'title', value: title });
  if (slug !== undefined) operations.push({ op: 'set', field: 'slug', value: slug });
  for (const field of ['excerpt', 'author', 'tags', 'image'] as const) {
    const value = clearable[field];
    if (value === undefined) continue;
    operations.push(value.length === 0 ? { op: 'unset', field } : { op: 'set', field, value });
  }
  return operations;
}
