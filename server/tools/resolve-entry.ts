import type { ContentBackend } from '#server/content/content-backend';
import type { Entry } from '#server/core/content';
import { ToolError } from '#server/core/errors';

/**
 * The entry that `ref` (an id, a slug, a path or a title) names.
 *
 * Throws NotFoundError where there is none, and ToolError where it is a title that several entries carry: guessing
 * would change the wrong page.
 */
export async function resolveEntry(content: ContentBackend, ref: string): Promise<Entry> {
  const name = ref.trim();
  const entry = await content.get(name);
  if (name === entry.id || name === entry.draft.slug || name.startsWith('/')) return entry;
  const title = entry.draft.title.toLowerCase();
  const hits = await content.search({ text: entry.draft.title, limit: 20 });
  const namesakes = new Map(hits.filter((hit) => hit.title.toLowerCase() === title).map((hit) => [hit.id, hit]));
  if (namesakes.size < 2) return entry;
  const list = [...namesakes.values()].map((hit) => `${hit.type} ${hit.id} (slug ${hit.slug})`).join(', ');
  throw new ToolError(`"${ref}" fits several: ${list}. Use an id.`);
}
