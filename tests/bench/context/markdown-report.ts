import { defaultSettings } from '#server/context/settings/context-settings';
import {
  allKinds,
  benchCases,
  type BenchCase,
  type BenchColumn,
  benchColumns,
  bestOf,
  NOTHING,
  shareText,
} from '#tests/bench/context/bench-columns';
import { type BenchReport, type NeedleKind, needleKinds, type Result } from '#tests/bench/context/bench-report';
import { benchStrings } from '#tests/bench/context/bench-words';

/** A report as the page docs/internals/benchmarks.md: for people who have never seen the project. */
export function toMarkdown(report: BenchReport): string {
  const parts = [
    INTRO,
    runOf(report),
    `## What the figures mean\n\n${meanings()}`,
    LIMITS,
    RESULTS,
    ...benchCases(report).map(caseOf),
    `## Where a peer is better, and why\n\n${COMPARED}\n\n${worseOf(report)}`,
    `## How each was set up\n\n${setupsOf(report)}`,
    CLOSING,
  ];
  return `${parts.join('\n\n')}\n`;
}

const COMPARED = `Compared is the strategy that is set by default, _${defaultSettings.strategy}_. The others are there to choose from, and each
gives something up for what it is chosen for: _proactive-threshold_ acts at half of the window, so it sends less, and
knows less, at the end; _ledger_ and _middle-removal_ never wait for a model, and the second puts a short note where
others put a summary; _pruning-agent_ shows what a model chose. How much any of them knows at the end also depends on
when it last acted: see the averages.`;

const INTRO = `# Benchmarks

<!-- Written by \`npm run bench\`: change it there. -->

When a conversation outgrows what a language model can read at once (its _window_), something has to go. This page
measures what is left afterwards, for Throughline and for other projects' packages side by side: how many of the ids,
numbers, paths and addresses of the older messages are still there, whether the user's requests survived, whether the
request fits and is well-formed, and what it costs.

Every approach gets the same recorded conversations, message by message, as the program would: before each call of the
model it is told what was said since the last one, and answers with what the model would be sent. All of them have the
same window, the same way to count tokens and the same summarizer. The others are the packages themselves, as published,
not copies of their ideas.`;

const LIMITS = `## What this does not measure

- **The quality of summaries.** The summarizer is a script, so that everybody gets the same one and a run can be
  repeated. It is of middling quality: the first sentences of evenly spaced lines of the text that it is given, about
  1,500 tokens of them, and the user's first and last words there. It looks for nothing exact, neither ids nor wishes. So
  the figures say how much an approach hands to the summarizer and does with the answer, not how well some model writes.
  \`npm run eval\` asks a real model.
- **Every lost fact, in long conversations.** What one recall finds is measured on an even sample of 200 of the lost
  facts, with a query of the words around the place where each first stood, without the fact itself.
- **Windows of today, in short conversations.** One of under 8,000 tokens would not overflow any: coding-short is
  replayed in 4,000, where one tool output alone takes two thirds of the room.
- **What only a whole program has.** In the generated session of editing a site Throughline has the site's journal, as
  it has in use: the packages have no place for such a thing. The journal is read before the clock starts.
- **Time.** Processor time is of one run on one machine beside other work: compare orders of magnitude. Calls of models
  take a second or more each, which is why they are counted and not timed.
- **Everybody's best settings.** Each has its own defaults where it has any, scaled to the window where they are meant
  for another one: see the end of this page.
- **Your conversations.** \`npm run bench -- --transcripts folder\` replays yours: messages of the AI SDK, of the OpenAI
  API, or a conversation exported from Throughline, as JSON.`;

const RESULTS = `## Results

Each approach has a line, Throughline's own first. Bold is the best of those who stayed within the window at every step,
since a provider refuses what does not fit; where they are all alike nothing is bold. A dash: nothing to measure.`;

const CLOSING = `## More

- [What the server bears](benchmarks-server.md): turns per second, first token, memory and database size.
- [How the context engine works](context-engine.md).`;

function runOf({ date, machine, command }: BenchReport): string {
  const { processor, cores, memoryGb, system, node } = machine;
  return table(
    ['Date', 'Machine', 'System', 'Command'],
    [
      [
        date.slice(0, 10),
        benchStrings.run.machineOf(processor, cores, memoryGb),
        benchStrings.run.systemOf(system, node),
        `\`${command}\``,
      ],
    ],
  );
}

function meanings(): string {
  return benchColumns
    .map(({ key }) => benchStrings.columns[key])
    .map(({ name, means }) => `- **${name}.** ${means}`)
    .join('\n');
}

function caseOf({ transcript, results }: BenchCase): string {
  const { name, from, contextWindow } = transcript;
  const failed = results.flatMap(({ approach, error }) => (error === null ? [] : [`- ${approach} failed: ${error}`]));
  return [
    `### ${benchStrings.caseName(name, contextWindow)}`,
    `${benchStrings.caseFacts(transcript)} From: ${from}.`,
    figuresTable(results, 'left'),
    figuresTable(results, 'costs'),
    'Kept of the compacted, by kind:',
    table(
      ['', ...needleKinds.map((kind) => benchStrings.kinds[kind]), benchStrings.kindTable.all],
      results.flatMap(kindRow),
    ),
    ...(failed.length > 0 ? [failed.join('\n')] : []),
  ].join('\n\n');
}

/** Two tables of half the width: one of all figures would not fit a page. */
function figuresTable(results: readonly Result[], about: BenchColumn['about']): string {
  const columns = benchColumns.filter((column) => column.about === about);
  return table(
    ['', ...columns.map(({ key }) => benchStrings.columns[key].name)],
    results.map((result) => [result.approach, ...cells(result, columns, results)]),
  );
}

function cells(result: Result, columns: readonly BenchColumn[], results: readonly Result[]): string[] {
  const { figures } = result;
  return columns.map((column) => {
    if (!figures) return NOTHING;
    const text = column.textOf(figures);
    return bestOf(column, results).has(result) ? `**${text}**` : text;
  });
}

function kindRow({ approach, figures }: Result): string[][] {
  if (!figures) return [];
  const cell = (kind: NeedleKind) => {
    const { kept, of } = figures.retained[kind];
    return of === 0 ? NOTHING : benchStrings.kindTable.of(kept, of);
  };
  return [[approach, ...needleKinds.map(cell), shareText(allKinds(figures))]];
}

function worseOf({ worse }: BenchReport): string {
  if (worse.length === 0) return benchStrings.worse.none;
  return [...Map.groupBy(worse, ({ transcript }) => transcript)]
    .map(([transcript, all]) => {
      const lines = all.map(
        ({ figure, ours, best, peer, why }) => `- **${figure}.** ${benchStrings.worse.line(ours, peer, best)} ${why}`,
      );
      return `### ${transcript}, compared\n\n${lines.join('\n')}`;
    })
    .join('\n\n');
}

function setupsOf({ results }: BenchReport): string {
  const approaches = new Map(results.map((result) => [result.approach, result]));
  return [...approaches.values()]
    .map(({ approach, source, setup }) => `- **${approach}** (${source}). ${setup}`)
    .join('\n');
}

/** Columns as wide as their longest cell, as the formatter wants them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = [head, ...rows].map((row) => row.map(escapeCell));
  const widths = head.map((_, column) => Math.max(3, ...escaped.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first, ...others] = escaped.map(line);
  return [first, line(widths.map((width) => '-'.repeat(width))), ...others].join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
