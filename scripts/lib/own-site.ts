import { readEnvironment } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import type { ContentBackend } from '#server/content/content-backend';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { countTokens } from '#server/context/tokens';
import type { ImportRemark, ImportReport } from '#server/core/imports';
import { createPictureFetch, preparePicture } from '#server/media/prepare-picture';
import { createContentRepository } from '#server/store/content-repository';
import { type Database, openDatabase } from '#server/store/database';

/**
 * The site that is kept in the configured database, for a command; a server may run beside it.
 * @param use a command that only reads does not migrate a database that the server of an older version may be using
 */
export async function openOwnSite(
  use: 'reads' | 'writes',
): Promise<{ readonly database: Database; readonly content: ContentBackend }> {
  const env = readEnvironment();
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    migrationsFolder: projectPath('drizzle'),
    older: use === 'reads' ? 'refuse' : 'migrate',
  });
  const sources = { preparePicture, fetchPicture: createPictureFetch(), countTokens };
  return { database, content: createEmbeddedContentBackend(createContentRepository(database), sources) };
}

/** Rows as columns of the same width. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  return rows.map(line).join('\n');
}

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
