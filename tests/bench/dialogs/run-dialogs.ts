import { readDialogs } from '#tests/bench/dialogs/read-dialogs';
import { type DialogFigures, measureDialog, sumFigures } from '#tests/bench/dialogs/measure-dialogs';

const DEFAULT_WINDOW = 16_000;

/**
 * Measures all dialogs of a file one after the other, and prints a table for each and for all.
 * @param tell receives what is measured now, one line each
 * @throws Error if the file cannot be read
 */
export async function runDialogs(path: string, window = DEFAULT_WINDOW, tell: (line: string) => void): Promise<void> {
  const dialogs = await readDialogs(path);
  const all: DialogFigures[][] = [];
  for (const [index, dialog] of dialogs.entries()) {
    tell(`Dialog ${index + 1} of ${dialogs.length}: ${dialog.questions.length} questions`);
    all.push(await measureDialog(dialog, window));
    console.log(`\nDialog ${index + 1}\n${tableOf(all.at(-1)!)}`);
  }
  console.log(
    `\nAll ${dialogs.length} dialogs in ${window.toLocaleString('en-US')} tokens\n${tableOf(sumFigures(all))}`,
  );
}

function tableOf(figures: readonly DialogFigures[]): string {
  const share = (part: number, of: number) => `${((100 * part) / Math.max(1, of)).toFixed(1)} %`;
  const head = ['', 'questions', 'in view', 'or one search', 'tokens in view', 'tokens of a search'];
  const rows = figures.map(({ name, questions, inView, found, viewTokens, searchTokens }) => [
    name,
    String(questions),
    share(inView, questions),
    share(found, questions),
    viewTokens.toFixed(0),
    searchTokens.toFixed(0),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!);
  return [head, ...rows].map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}
