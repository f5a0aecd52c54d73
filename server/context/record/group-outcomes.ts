import type { RecordLine } from '#server/context/record/record';
import { newestWithin } from '#server/core/text/excerpt';

/* Groups outcomes of the record that do not get a line each. */

/** Tokens reserved for the line that counts what is folded. */
export const FOLD_TOKENS = 40;

/** How the record counts a call that the user refused. */
export const REFUSED = 'refused';

/** How often each was done, in words. */
export const spelled = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([done, times]) => (times === 1 ? done : `${done} ${times} times`)).join(', ');

/** A thing with its outcomes, or one refusal. */
interface Group {
  readonly what: string;
  /** In the order in which they were first done. */
  readonly counts: Map<string, number>;
  /** The tool whose call was refused; null: the thing was changed. */
  readonly refusal: string | null;
}

/**
 * Lines that name the things with the same outcomes. Older ones, where not all fit, are named by their titles alone, and
 * one line counts those that do not fit either: the oldest, and refusals last.
 * @param outcomes newest first
 */
export function groupOutcomes(
  outcomes: readonly RecordLine[],
  tokens: number,
  cost: (text: string) => number,
): string[] {
  if (outcomes.length === 0) return [];
  const groups = new Map<string, Group>();
  for (const { head, counts, names } of outcomes.toReversed()) {
    const refusal = counts.has(REFUSED) ? head : null;
    const what = refusal === null ? head : names.join(', ');
    const key = refusal === null ? `thing ${head.split(' "')[0]}` : `refused ${refusal} ${what}`;
    const group = { what, refusal, counts: groups.get(key)?.counts ?? new Map<string, number>() };
    for (const [done, times] of counts) group.counts.set(done, (group.counts.get(done) ?? 0) + times);
    // Ordered by the newest outcome.
    groups.delete(key);
    groups.set(key, group);
  }
  const oldestFirst = [...groups.values()];
  const all = [...oldestFirst.filter(({ refusal }) => !refusal), ...oldestFirst.filter(({ refusal }) => refusal)];
  const whole = withinLines(all, tokens, asWhole, cost);
  if (whole.fitting.length === all.length) return whole.lines;
  const newest = withinLines(all, tokens * WHOLE_GROUPS_SHARE, asWhole, cost);
  const left = tokens - FOLD_TOKENS - sumOf(newest.lines, cost);
  const older = withinLines(all.slice(0, all.length - newest.fitting.length), left, asBrief, cost);
  const others = all.slice(0, all.length - newest.fitting.length - older.fitting.length);
  const lines = [...older.lines, ...newest.lines];
  if (others.length === 0) return lines;
  const count = `- ${others.length} earlier ones`;
  const sums = new Map<string, number>();
  for (const { counts } of others) for (const [done, times] of counts) sums.set(done, (sums.get(done) ?? 0) + times);
  const counted = `${count}: ${spelled(sums)}`;
  return [cost(counted) + sumOf(lines, cost) <= tokens ? counted : count, ...lines];
}

/** Share of the tokens of groups for those with ids and numbers, if not all fit so. A choice, not measured. */
const WHOLE_GROUPS_SHARE = 0.3;

/** What was done, and to what. */
interface Named {
  readonly done: string;
  readonly what: string;
}

/** The newest groups that fit in lines, and these lines. */
function withinLines(
  groups: readonly Group[],
  tokens: number,
  nameOf: (group: Group) => Named,
  cost: (text: string) => number,
) {
  const begun = new Set<string>();
  const fitting = newestWithin(groups, tokens, (group) => {
    const { done, what } = nameOf(group);
    const start = begun.has(done) ? 0 : cost(`- ${done}: `);
    begun.add(done);
    return cost(what) + 1 + start;
  });
  const lines = [...Map.groupBy(fitting.map(nameOf), ({ done }) => done)].map(
    ([done, of]) => `- ${done}: ${of.map(({ what }) => what).join(', ')}`,
  );
  return { fitting, lines };
}

/** A group with its id and how often each was done. */
const asWhole = ({ what, refusal, counts }: Group): Named => ({ done: refusal ?? spelled(counts), what });

/** A group by its title and what was done; that something that was created was also changed says little. */
function asBrief({ what, refusal, counts }: Group): Named {
  const done = [...counts.keys()];
  const telling = done.filter((each) => each !== 'changed');
  const [title = what] = /"[^]*"$/.exec(what) ?? [];
  return { done: refusal ?? (telling.length > 0 ? telling : done).join(', '), what: title };
}

/** The tokens of texts together. */
export const sumOf = (texts: readonly string[], cost: (text: string) => number) =>
  texts.reduce((sum, text) => sum + cost(text), 0);
