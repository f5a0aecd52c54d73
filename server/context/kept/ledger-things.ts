import type { LedgerEntry } from '#server/core/ledger';
import { oneLine } from '#server/context/prune/excerpt';

const MAX_TITLE_CHARS = 80;

/** One thing that was worked on, all its changes merged. */
export interface LedgerThing {
  readonly kind: string;
  readonly id: string;
  readonly slug: string | null;
  readonly title: string;
  /** It is no more; nothing later can refer to it. */
  readonly gone: boolean;
  readonly partIds: readonly string[];
  /** When it was changed last; epoch milliseconds. */
  readonly at: number;
  /** The thing as one line of the ledger. */
  readonly line: string;
  /** Its names alone, where there is no room for more. */
  readonly shortLine: string;
}

/** Things by their newest change, the newest last. Changes that were taken back are left out. */
export function ledgerThings(entries: readonly LedgerEntry[]): LedgerThing[] {
  const things = new Map<string, LedgerEntry[]>();
  for (const entry of entries.toSorted((a, b) => a.at - b.at)) {
    const key = `${entry.kind} ${entry.id}`;
    const changes = things.get(key) ?? [];
    things.delete(key);
    things.set(key, [...changes, entry]);
  }
  return [...things.values()].flatMap(thingOf);
}

const PAST: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'updated',
  publish: 'published',
  unpublish: 'unpublished',
  schedule: 'publication planned',
  delete: 'deleted',
};

function thingOf(changes: readonly LedgerEntry[]): LedgerThing[] {
  const newest = changes.at(-1);
  const standing = changes.filter((change) => !change.undone && change.action !== 'undo');
  if (!newest || (standing.length === 0 && newest.state === undefined)) return [];
  const { kind, id, slug, title, state, parts = [] } = newest;
  const gone = state === 'deleted' || (state === undefined && newest.action === 'delete');
  const names = [id === kind ? '' : id, slug === null ? '' : `/${slug}`, gone ? '' : (state ?? '')].filter(Boolean);
  const named = id === kind ? kind : `${kind} "${oneLine(title, MAX_TITLE_CHARS)}"`;
  const sections =
    parts.length === 0 || gone ? '' : `; holds ${parts.map((part) => `${part.type} ${part.id}`).join(', ')}`;
  const line = `- ${named}${names.length === 0 ? '' : ` (${names.join(', ')})`}: ${stepsOf(standing, gone)}${sections}`;
  const shortLine = `- ${kind} ${id}${slug === null ? '' : `, /${slug}`}`;
  const partIds = gone ? [] : parts.map((part) => part.id);
  return [{ kind, id, slug, title, gone, partIds, at: newest.at, line, shortLine }];
}

/** Changes of one kind in a row are counted, not repeated; what has no name of its own tells its newest change. */
function stepsOf(changes: readonly LedgerEntry[], gone: boolean): string {
  const steps: { word: string; count: number }[] = [];
  for (const { action } of changes) {
    const word = PAST[action] ?? action;
    const last = steps.at(-1);
    if (last?.word === word) last.count += 1;
    else steps.push({ word, count: 1 });
  }
  const newest = changes.at(-1);
  if (gone && newest?.action !== 'delete') steps.push({ word: 'gone by now', count: 1 });
  const done = steps.map(({ word, count }) => (count === 1 ? word : `${word} ${count} times`)).join(', ');
  if (newest?.slug === null && newest.summary !== '') return `${done}; newest: ${newest.summary}`;
  return done === '' ? 'its changes were undone' : done;
}
