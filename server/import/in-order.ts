import type { ImportLog } from '#server/import/import-log';
import type { PlannedDocument, PlannedEntry } from '#server/import/plan';

/** Pages above one another; a site has four or five. */
const MAX_LEVELS = 100;

/** Entries with every page after the one that it is below; a page that would stand below itself stands below none. */
export function inOrder(entries: readonly PlannedEntry[], log: ImportLog): PlannedEntry[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const placed = new Map<string, PlannedEntry>();
  const open = new Set<string>();

  function place(entry: PlannedEntry): void {
    if (placed.has(entry.key)) return;
    open.add(entry.key);
    const above = (document: PlannedDocument): PlannedDocument => {
      const parent = document.parent === undefined ? undefined : byKey.get(document.parent);
      if (parent === undefined) return withoutParent(document);
      const isLoop = open.has(parent.key);
      if (isLoop || (open.size === MAX_LEVELS && !placed.has(parent.key))) {
        const reason = isLoop ? 'It stood below itself' : `It stood below more than ${MAX_LEVELS} pages`;
        log.altered(entry.type, document.title, `${reason}: it stands below no page here.`);
        return withoutParent(document);
      }
      place(parent);
      return document;
    };
    const draft = above(entry.draft);
    const published =
      entry.published === entry.draft ? draft : entry.published === null ? null : above(entry.published);
    const scheduled = entry.scheduled === null ? null : above(entry.scheduled);
    open.delete(entry.key);
    placed.set(entry.key, { ...entry, draft, published, scheduled });
  }

  for (const entry of entries) place(entry);
  return [...placed.values()];
}

function withoutParent({ parent: _parent, ...document }: PlannedDocument): PlannedDocument {
  return document;
}
