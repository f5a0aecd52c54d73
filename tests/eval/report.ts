import { type ProbeKind, probeKinds } from '#tests/eval/probe';
import type { ProbeResult, SessionResult } from '#tests/eval/run-session';
import { oneLine } from '#server/core/text/short-text';

/** The scores of one kind of probe, or of all. */
export interface Tally {
  readonly asked: number;
  readonly right: number;
  /** Of the right ones, those that were answered without a tool: from the context alone. */
  readonly fromContext: number;
  /** Those that the model that was evaluated cannot be asked. */
  readonly skipped: number;
  /** Right of asked, 0 to 1; null: nothing was asked. */
  readonly share: number | null;
}

/** A run, as its JSON file has it. */
export interface EvalReport {
  /** ISO 8601. */
  readonly date: string;
  readonly modelId: string;
  /** Tokens. */
  readonly window: number;
  readonly strategy: string;
  readonly turns: number;
  readonly kinds: Readonly<Record<ProbeKind, Tally>>;
  readonly all: Tally;
  readonly sessions: readonly SessionResult[];
}

/** @param run what was evaluated, and how */
export function reportOf(
  run: Pick<EvalReport, 'date' | 'modelId' | 'window' | 'strategy' | 'turns'>,
  sessions: readonly SessionResult[],
): EvalReport {
  const probes = sessions.flatMap((session) => session.probes);
  const skipped = sessions.flatMap((session) => session.skipped);
  const tallyOf = (kind: ProbeKind) =>
    tally(
      probes.filter((probe) => probe.kind === kind),
      skipped.filter((each) => each === kind).length,
    );
  const kinds = Object.fromEntries(probeKinds.map((kind) => [kind, tallyOf(kind)])) as Record<ProbeKind, Tally>;
  return { ...run, kinds, all: tally(probes, skipped.length), sessions };
}

function tally(probes: readonly ProbeResult[], skipped: number): Tally {
  const right = probes.filter((probe) => probe.right);
  return {
    asked: probes.length,
    right: right.length,
    fromContext: right.filter(({ tools }) => tools.length === 0).length,
    skipped,
    share: probes.length === 0 ? null : right.length / probes.length,
  };
}

/** Whether it has run to its end and, where a share is wanted, reached it. */
export function isPassed({ sessions, all }: EvalReport, min: number | null): boolean {
  if (sessions.length === 0 || sessions.some(({ error }) => error !== null)) return false;
  return min === null || (all.share !== null && all.share >= min);
}

/** For a terminal. */
export function reportText(report: EvalReport): string {
  const { modelId, window, strategy, turns, sessions, kinds, all } = report;
  return [
    `${modelId}, ${strategy}, window ${count(window)} tokens, sessions: ${sessions.length}, of ${turns} turns each`,
    '',
    row('', 'asked', 'right', 'share', 'without tools', 'skipped'),
    ...probeKinds.map((kind) => tallyRow(kind, kinds[kind])),
    tallyRow('all', all),
    '',
    ...sessions.flatMap(sessionLines),
    ...sessions.flatMap(failureLines),
  ].join('\n');
}

function tallyRow(name: string, { asked, right, share, fromContext, skipped }: Tally): string {
  const percent = share === null ? '-' : `${Math.floor(share * 100)} %`;
  return row(name, String(asked), String(right), percent, String(fromContext), String(skipped));
}

function row(name: string, ...cells: string[]): string {
  return `${name.padEnd(14)}${cells.map((cell) => cell.padStart(15)).join('')}`;
}

function sessionLines({ seed, compactions, probes, usage, error }: SessionResult): string[] {
  const { inputTokens, outputTokens, cost } = usage;
  const later = probes.reduce((sum, probe) => sum + probe.compactions, 0);
  const price = cost === null ? 'cost not reported' : `${cost.toFixed(4)} US dollars`;
  return [
    `Seed ${seed}: ${compactions} compactions before the first probe, ${later} while probes were answered, ${count(inputTokens)} tokens in, ${count(outputTokens)} out, ${price}.`,
    ...(compactions === 0 && error === null
      ? ['  It was never compacted, so it proves nothing: take a smaller --window or more --turns.']
      : []),
    ...(error === null ? [] : [`  Not everything ran: ${error}`]),
  ];
}

/** Of a question and an answer, characters that are shown; the JSON file has all of them. */
const SHOWN_CHARS = 300;

function failureLines({ seed, probes }: SessionResult): string[] {
  return probes
    .filter(({ right }) => !right)
    .flatMap(({ kind, question, expected, given }) => [
      '',
      `WRONG (${kind}, seed ${seed}): ${shown(question)}`,
      `  expected: ${shown(expected)}`,
      `  given:    ${shown(given)}`,
    ]);
}

function shown(text: string): string {
  return oneLine(text, SHOWN_CHARS);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
