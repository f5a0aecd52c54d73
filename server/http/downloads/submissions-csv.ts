import type { Submission } from '#server/core/site/submissions';
import { BYTE_ORDER_MARK, csvLine } from '#server/http/downloads/csv';

/**
 * Submissions of forms as a CSV file, for spreadsheets. There is one column per label, in the order of first occurrence;
 * equal labels share a column.
 * @param read reads all submissions in pages; called twice, first for the labels, then for the rows
 */
export async function* submissionsCsv(read: () => AsyncIterable<readonly Submission[]>): AsyncGenerator<string> {
  const labels = new Set<string>();
  for await (const page of read()) for (const { answers } of page) for (const { label } of answers) labels.add(label);
  yield `${BYTE_ORDER_MARK}${csvLine(['Received', 'Page', 'Form', ...labels])}`;
  for await (const page of read()) {
    for (const { createdAt, pageTitle, formTitle, answers } of page) {
      const cells = [...labels].map((wanted) =>
        answers.flatMap(({ label, value }) => (label === wanted ? value : [])).join('\n'),
      );
      yield csvLine([new Date(createdAt).toISOString(), pageTitle, formTitle, ...cells]);
    }
  }
}
