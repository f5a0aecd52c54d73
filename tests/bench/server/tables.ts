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
      note: `Concurrent sessions, each sending one turn after the other; the provider answers with ${pieces} pieces without a pause.`,
      head: [
        'concurrent sessions',
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

const OF_LOAD =
  'Answer times, processor time and memory of one server with up to 50 concurrent sessions and 10,000 stored ones.';
const OF_LENGTH = 'Whether times grow with the length of a conversation, up to 100,000 messages.';

function page(
  title: string,
  purpose: string,
  { at, machine, node, command }: Circumstances,
  tables: readonly Table[],
  more: string,
) {
  return `${[
    `# ${title}`,
    purpose,
    `Measured with \`${command}\` on ${at.slice(0, 10)}, ${machine}, Node ${node}: the production build with a database file; a scripted provider and the client share its processors.`,
    ...tables.map(tableAsMarkdown),
    more,
  ].join('\n\n')}\n`;
}

/** The report of `npm run bench:server` as a page of the documentation. */
export const reportAsMarkdown = (report: ServerReport) =>
  page('Server load', OF_LOAD, report, tablesOf(report), OF_SERVER);

/** The table of `npm run bench:growth` as a page of the documentation. */
export const growthPage = (circumstances: Circumstances, table: Table) =>
  page('Cost of long conversations', OF_LENGTH, circumstances, [table], OF_GROWTH);

const OF_SERVER = `## How to read it

- See also [the cost of long conversations](growth.md).
- A measure that should not grow is marked "grows" above an exponent of ${GROWS_FROM}. The search in all titles may grow.
- Memory is the resident memory of the server's process.`;

const OF_GROWTH = `## How to read it

- Each size has its own server and database file with one long session and 60 short ones. All servers run together and receive requests in turn.
- A long session has turns of four messages (request, call, result, answer) and a compaction every 240 messages: the view always has a summary and the newest 100 messages.
- An exponent above ${GROWS_FROM} is marked "grows" and fails the command. The chart may grow up to its maximum: 1,000 samples and the newest 100 compactions.
- Costs, message counts, compacted tokens and the seen state of the site are stored as sums with the session. Reports have only the newest compactions, and a search ranks a limited number of hits.
- Memory is the resident memory of the server's process.`;
