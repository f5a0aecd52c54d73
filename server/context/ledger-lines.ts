import type { LedgerEntry } from '#server/core/ledger';

/**
 * The ledger as lines, one per thing that was touched, in the order of its newest change (newest last):
 * `page "Pricing" (pag_k7m2p9, /pricing): created, added a faq section, published`. Undone changes are left out.
 */
export function ledgerLines(entries: readonly LedgerEntry[]): string[] {
  const things = new Map<string, LedgerEntry[]>();
  for (const entry of entries.toSorted((a, b) => a.at - b.at)) {
    if (entry.undone) continue;
    const changes = things.get(entry.id) ?? [];
    things.delete(entry.id);
    things.set(entry.id, [...changes, entry]);
  }
  return [...things.values()].map(thingLine);
}

const PAST: Record<string, string> = {
  create: 'created',
  update: 'updated',
  publish: 'published',
  unpublish: 'unpublished',
  delete: 'deleted',
  undo: 'undone',
};

/** Changes of one kind in a row are counted, not repeated. */
function thingLine(changes: readonly LedgerEntry[]): string {
  const newest = changes.at(-1);
  if (!newest) return '';
  const steps: { word: string; count: number }[] = [];
  for (const change of changes) {
    const word = PAST[change.action] ?? change.action;
    const last = steps.at(-1);
    if (last?.word === word) last.count += 1;
    else steps.push({ word, count: 1 });
  }
  const done = steps.map(({ word, count }) => (count === 1 ? word : `${word} ${count} times`)).join(', ');
  return `- ${newest.kind} "${newest.title}" (${[newest.id, newest.slug && `/${newest.slug}`].filter(Boolean).join(', ')}): ${done}`;
}
