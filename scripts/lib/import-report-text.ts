import type { ImportRemark, ImportReport } from '#server/core/site/imports';

/** Formats rows as columns of equal width. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  return rows.map(line).join('\n');
}

/** A titled list of remarks; empty without any. */
function remarks(title: string, list: readonly ImportRemark[]): string {
  if (list.length === 0) return '';
  const lines = list.map(
    ({ kind, name, reason, count }) => `  ${count} ${kind}: ${reason}${name === '' ? '' : ` (${name})`}`,
  );
  return `\n\n${title}\n${lines.join('\n')}`;
}

/** An import report, formatted for a terminal. */
export function importReportText({ counts, sections, notTaken, altered }: ImportReport): string {
  const kinds = Object.entries(counts).map(([kind, count]) => [
    kind,
    ...[count.created, count.updated, count.unchanged, count.notTaken].map(String),
  ]);
  const ofSections = Object.entries(sections).map(([type, count]) => `${count} ${type}`);
  return [
    columns([['', 'created', 'updated', 'unchanged', 'not taken'], ...kinds]),
    ofSections.length === 0 ? '' : `\n\nSections: ${ofSections.join(', ')}`,
    remarks('Not taken:', notTaken),
    remarks('Taken otherwise:', altered),
  ].join('');
}
