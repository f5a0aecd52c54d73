import { EditorState, TextSelection } from 'prosemirror-state';
import { parseArgs } from 'node:util';
import { allowServerModules, withUsage } from '#scripts/lib/process';
import { machineText, wholeNumber } from '#tests/bench/support/circumstances';
import { milliseconds, percentile, printRow } from '#tests/bench/support/figures';

/*
 * What a text with a long table costs the person who edits it (npm run bench:editor): opening it, and one change of the
 * document with the Markdown that is reported after it. Drawing is the browser's and not included.
 */

const USAGE = `npm run bench:editor -- [options]
  --rows 200      rows of the table, of five columns
  --edits 200     changes behind each figure
`;

async function main(rows: number, edits: number): Promise<void> {
  allowServerModules();
  const { readMarkdown } = await import('#components/editor/rich-text/read-markdown.ts');
  const { writeMarkdown } = await import('#components/editor/rich-text/write-markdown.ts');
  const { tablePlugins } = await import('#components/editor/rich-text/table-rules.ts');
  const { tableCommands } = await import('#components/editor/rich-text/table-commands.ts');
  const lines = Array.from(
    { length: rows },
    (_, row) => `| Row ${row} | some **words** | [more](/x) | \`a\` | ${row} |`,
  );
  const markdown = ['Intro', ['| a | b | c | d | e |', '| - | - | - | - | -: |', ...lines].join('\n'), 'End.'].join(
    '\n\n',
  );
  const timed = (work: () => void) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  const report = (name: string, times: readonly number[]) =>
    printRow(name, milliseconds(percentile(times, 0.5)), milliseconds(percentile(times, 0.95)));

  process.stdout.write(`A table of ${rows} rows and 5 columns. ${machineText()}\n`);
  printRow('', 'p50', 'p95');
  report(
    'open',
    Array.from({ length: 20 }, () => timed(() => readMarkdown(markdown))),
  );
  const read = readMarkdown(markdown);
  let state = EditorState.create({ doc: read.doc, plugins: [...tablePlugins] });
  /** Changes at places all over the table. */
  const measure = (name: string, change: () => void) => {
    const times = Array.from({ length: edits }, (_, edit) => {
      const at = 12 + ((edit * 7_919) % Math.max(1, state.doc.content.size - 24));
      state = state.apply(state.tr.setSelection(TextSelection.near(state.doc.resolve(at))));
      return timed(() => {
        change();
        writeMarkdown(read, state.doc);
      });
    });
    report(name, times);
  };
  const run = (name: keyof typeof tableCommands) => () =>
    void tableCommands[name](state, (transaction) => (state = state.apply(transaction)));
  measure('type a character', () => (state = state.apply(state.tr.insertText('x'))));
  measure('move a row down', run('rowDown'));
  measure('insert a row', run('rowBelow'));
  measure('align a column', () => {
    run('alignCenter')();
    run('alignRight')();
  });
}

const { values } = withUsage(USAGE, () =>
  parseArgs({ options: { rows: { type: 'string', default: '200' }, edits: { type: 'string', default: '200' } } }),
);
await main(wholeNumber('--rows', values.rows), wholeNumber('--edits', values.edits));
