import { isPrune } from '#components/admin/session/compaction-records.ts';
import type { CompactionRecord } from '#server/core/conversation/compactions';

/** Kind of a mark in the chart: the outcome of a compaction or prune. */
export type MarkKind = 'compaction' | 'prune' | 'failed' | 'undone';

/** Kind of the mark for a record. */
export function markKind(record: CompactionRecord): MarkKind {
  if (record.status === 'failed') return 'failed';
  if (record.status === 'undone') return 'undone';
  return isPrune(record) ? 'prune' : 'compaction';
}

const shapes: Record<MarkKind, string> = {
  /** Three layers. */
  compaction: 'M-4 -3 H4 M-4 0 H4 M-4 3 H4',
  /** A cross. */
  prune: 'M-4 4 L4 -4 M-4 -4 L4 4',
  failed: 'M0 -4.5 V1.5 M0 4 V4.5',
  /** An arrow pointing back. */
  undone: 'M-3 0 H2 A2.5 2.5 0 0 1 2 5 M-3 0 L0 -3 M-3 0 L0 3',
};

const colours: Record<MarkKind, string> = {
  compaction: 'var(--accent)',
  prune: 'var(--ink-2)',
  failed: 'var(--red)',
  undone: 'var(--ink-3)',
};

/** SVG icon of a mark, in a circle of radius 9 around the origin. */
export function MarkSign({ kind }: { readonly kind: MarkKind }) {
  return (
    <>
      <circle r="9" style={{ fill: 'var(--sheet)', stroke: colours[kind] }} strokeWidth="1.5" />
      <path
        d={shapes[kind]}
        transform={kind === 'undone' ? 'translate(-0.5 -2)' : undefined}
        fill="none"
        strokeWidth="1.6"
        strokeLinecap="round"
        style={{ stroke: colours[kind] }}
      />
    </>
  );
}

/** The colour of a mark's line. */
export function markColour(kind: MarkKind): string {
  return colours[kind];
}
