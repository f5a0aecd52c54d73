import type { ImportLog } from '#server/import-export/plan/import-log';
import { serverText } from '#server/core/messages/server-text';
import type { SourceDocument, SourceEntry } from '#server/import-export/plan/import-plan';

/** Maximum depth of pages, because `place` is recursive; sites have four or five levels. A choice, not measured. */
const MAX_LEVELS = 100;

/**
 * Sorts entries so that every page comes after its parent. A parent that is not among the entries is removed. So is,
 * with a remark in the log, one that would make a page its own ancestor or exceed 100 levels.
 */
export function sortByParent(entries: readonly SourceEntry[], log: ImportLog): SourceEntry[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const placed = new Map<string, SourceEntry>();
  const open = new Set<string>();

  function place(entry: SourceEntry): void {
    if (placed.has(entry.key)) return;
    open.add(entry.key);
    const withPlacedParent = (document: SourceDocument): SourceDocument => {
      const parent = document.parent === undefined ? undefined : byKey.get(document.parent);
      if (parent === undefined) return withoutParent(document);
      const isLoop = open.has(parent.key);
      if (isLoop || (open.size === MAX_LEVELS && !placed.has(parent.key))) {
        log.addAltered(entry.type, document.title, serverText('import-parent-loop', { isLoop, count: MAX_LEVELS }));
        return withoutParent(document);
      }
      place(parent);
      return document;
    };
    const draft = withPlacedParent(entry.draft);
    const published =
      entry.published === entry.draft ? draft : entry.published === null ? null : withPlacedParent(entry.published);
    const scheduled = entry.scheduled === null ? null : withPlacedParent(entry.scheduled);
    open.delete(entry.key);
    placed.set(entry.key, { ...entry, draft, published, scheduled });
  }

  for (const entry of entries) place(entry);
  return [...placed.values()];
}

function withoutParent({ parent: _parent, ...document }: SourceDocument): SourceDocument {
  return document;
}
