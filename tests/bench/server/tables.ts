import { type Growth, GROWS_FROM } from '#tests/bench/server/growth';
import type { Circumstances, GrowthFigures, LoadFigures, ServerReport, Spread } from '#tests/bench/server/report';

/** A table of a report, to be written in any form. */
export interface Table {
  readonly title: string;
  readonly note: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const whole = (value: number) => Math.round(value).toLocaleString('en-US');
const figure = (value: number) => (Number.isNaN(value) ? 'n/a' : value < 100 ? value.toFixed(1) : whole(value));
const spread = ({ p50, p95, p99 }: Spread) => [p50, p95, p99].map(figure).join(' / ');

export function tablesOf(report: ServerReport): Table[] {
  const { words, rounds } = report;
  const [, pieces] = /stream (\d+)/.exec(words) ?? [];
  return [
    {
      title: 'Load',
      note: `Sessions that send turns at once, each one turn after the other; the provider answers with ${pieces} pieces without a pause.`,
      head: [
        'sessions at once',
        'turns',
        'errors',
        'turns per second',
        'first token, ms: p50 / p95 / p99',
        'whole turn, ms: p50 / p95 / p99',
        'processor, ms per turn',
        'memory, MB: at the end / most so far',
      ],
      rows: report.load.map(loadRow),
    },
    growthTable('Sessions', 'sessions in the database', report.sessions, rounds),
  ];
}

function loadRow(load: LoadFigures): string[] {
  return [
    whole(load.sessions),
    whole(load.turns),
    whole(load.errors),
    figure(load.turnsPerSecond),
    spread(load.firstToken),
    spread(load.wholeTurn),
    figure(load.cpuPerTurn),
    `${figure(load.memory)} / ${figure(load.peakMemory)}`,
  ];
}

/** A table of measures over sizes. @param of what the sizes count */
export function growthTable(title: string, of: string, { sizes, rows }: GrowthFigures, rounds: number): Table {
  return {
    title,
    note: `Growth with the number of ${of}; times are medians of ${rounds}. Exponent: 0 does not grow, 1 is linear; last step: how many times the size before it.`,
    head: ['', ...sizes.map(whole), 'exponent', 'last step'],
    rows: rows.map((row) => [`${row.measure}, ${row.unit}`, ...row.values.map(figure), exponentOf(row), lastStep(row)]),
  };
}

function exponentOf({ exponent, grows }: Growth): string {
  if (exponent === null) return 'n/a';
  return `${exponent.toFixed(2).replace('-0.00', '0.00')}${grows ? ' (grows)' : ''}`;
}

/** What grows only when it is large hides in an exponent over all sizes. */
function lastStep({ values }: Growth): string {
  const [before, last] = values.slice(-2);
  return before === undefined || last === undefined ? 'n/a' : `${(last / before).toFixed(1)} times`;
}

/** As a terminal shows it: columns of equal width, figures to the right. */
export function tableAsText({ title, note, head, rows }: Table): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  return [`${title}. ${note}`, line(head), ...rows.map(line), ''].join('\n');
}

function tableAsMarkdown({ title, note, head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [`## ${title}`, '', note, '', ...[head, rule, ...rows].map(line)].join('\n');
}

function page(title: string, { at, machine, node, command }: Circumstances, tables: readonly Table[], more: string) {
  return `${[
    `# ${title}`,
    `Measured, not promised: times are of one machine at one time and will be others on yours. Written by \`${command}\` on ${at.slice(0, 10)}, ${machine}, Node ${node}. The production build and its database file on that machine, a scripted provider and the client beside it on the same processors.`,
    ...tables.map(tableAsMarkdown),
    more,
  ].join('\n\n')}\n`;
}

/** The report of `npm run bench:server` as a page of the documentation. */
export const reportAsMarkdown = (report: ServerReport) =>
  page('What the server bears', report, tablesOf(report), OF_SERVER);

/** The table of `npm run bench:growth` as a page of the documentation. */
export const growthPage = (circumstances: Circumstances, table: Table) =>
  page('What a conversation costs that grows', circumstances, [table], OF_GROWTH);

const OF_SERVER = `## How to read it

- Long conversations have [a page of their own](growth.md).
- A measure that should cost the same at every size and has an exponent above ${GROWS_FROM} is marked "grows". The search in all titles may grow: it reads what it shows.
- Memory is the resident memory of the server's process.`;

const OF_GROWTH = `## How to read it

- Each size has a database file and a server of its own: one session of so many messages, and 60 short ones beside it. All servers run at once and are asked in turns.
- A long session has turns of four messages (request, call, result, answer) and was compacted every 240 messages: the model's view has a summary and the newest 100 messages, whatever the length.
- An exponent above ${GROWS_FROM} is marked "grows" and fails the command. The chart may grow until it has what it shows at most: 1,000 samples and the newest 100 compactions.
- What a session's model calls cost, how many messages stand in it, what its compactions keep out of each request and which state of the site its assistant has seen are kept as sums and marks beside the session, in the transaction that changes them. Reports tell the newest compactions only, and a search ranks a bounded number of the hits, the newest of each word.
- Memory is the resident memory of the server's process.`;
