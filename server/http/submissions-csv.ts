import type { Submission } from '#server/core/submissions';

/**
 * Submissions as a table for spreadsheets (RFC 4180, UTF-8 with its mark). A column for each label, in the order in which
 * they first come; equal labels of one form share theirs.
 * @param read called twice: for the labels, and for the lines
 */
export async function* submissionsAsCsv(read: () => AsyncIterable<readonly Submission[]>): AsyncGenerator<string> {
  const labels = new Set<string>();
  for await (const page of read()) for (const { answers } of page) for (const { label } of answers) labels.add(label);
  yield `\ufeff${line(['Received', 'Page', 'Form', ...labels])}`;
  for await (const page of read()) {
    for (const { createdAt, pageTitle, formTitle, answers } of page) {
      const cells = [...labels].map((wanted) =>
        answers.flatMap(({ label, value }) => (label === wanted ? value : [])).join('\n'),
      );
      yield line([new Date(createdAt).toISOString(), pageTitle, formTitle, ...cells]);
    }
  }
}

/** First character of a formula in spreadsheets, which could send nearby cells elsewhere. */
const FORMULA = /^[=+\-@\t\r]/;

function line(cells: readonly string[]): string {
  return `${cells.map((cell) => quoted(FORMULA.test(cell) ? `'${cell}` : cell)).join(',')}\r\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
