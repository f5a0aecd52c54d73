import {
  type BenchReport,
  type Figures,
  needleKinds,
  type Result,
  type Share,
} from '#tests/bench/context/bench-report';

/** One figure of the report: a column of its tables. */
export interface BenchColumn {
  readonly key: BenchColumnKey;
  /** Which values are better; null for figures without a better direction. */
  readonly better: 'more' | 'less' | null;
  /** A share of 1, a count or milliseconds; null if there was nothing to measure. */
  readonly valueOf: (figures: Figures) => number | null;
  /** As tables show it. */
  readonly textOf: (figures: Figures) => string;
}

export type BenchColumnKey =
  | 'known'
  | 'knownMean'
  | 'userWords'
  | 'userWordsFound'
  | 'callNames'
  | 'retained'
  | 'actedOn'
  | 'recallable'
  | 'latestRequest'
  | 'firstRequest'
  | 'standingInstructions'
  | 'orphans'
  | 'tokensAfter'
  | 'tokensMean'
  | 'timesOver'
  | 'compactions'
  | 'modelCalls'
  | 'unchangedPrefix'
  | 'cpu';

const integer = new Intl.NumberFormat('en-US');

/** Every figure, in the order of the tables. */
export const benchColumns: readonly BenchColumn[] = [
  ofShare('known', (figures) => figures.known),
  {
    key: 'knownMean',
    better: 'more',
    valueOf: ({ knownMean }) => knownMean,
    textOf: ({ knownMean }) => percent(knownMean),
  },
  ofShareAndMean('userWords', (figures) => [figures.userWords, figures.userWordsMean]),
  ofShare('userWordsFound', (figures) => figures.userWordsFound),
  ofShareAndMean('callNames', (figures) => [figures.callNames, figures.callNamesMean]),
  ofShare('retained', allKinds),
  ofShare('actedOn', (figures) => figures.actedOn),
  ofShare('recallable', (figures) => figures.recallable),
  ofShare('latestRequest', (figures) => figures.latestRequest),
  {
    key: 'firstRequest',
    better: 'more',
    valueOf: ({ firstRequest }) => Number(firstRequest),
    textOf: ({ firstRequest }) => (firstRequest ? 'yes' : 'no'),
  },
  ofShare('standingInstructions', (figures) => figures.standingInstructions),
  ofCount('orphans', 'less'),
  ofCount('tokensAfter', null),
  ofCount('tokensMean', null),
  {
    key: 'timesOver',
    better: 'less',
    valueOf: ({ timesOver }) => timesOver,
    textOf: ({ timesOver, steps }) => (timesOver === 0 ? '0' : `${integer.format(timesOver)}/${integer.format(steps)}`),
  },
  ofCount('compactions', null),
  ofCount('modelCalls', 'less'),
  {
    key: 'unchangedPrefix',
    better: 'more',
    valueOf: ({ unchangedPrefix }) => unchangedPrefix,
    textOf: ({ unchangedPrefix }) => percent(unchangedPrefix),
  },
  {
    key: 'cpu',
    // Too noisy for a winner.
    better: null,
    valueOf: ({ cpu }) => cpu.median,
    textOf: ({ cpu }) => `${milliseconds(cpu.median)} / ${milliseconds(cpu.most)}`,
  },
];

/** What is written where there was nothing to measure. */
export const NOTHING = '–';

/** Facts of all kinds together. */
function allKinds({ retained }: Figures): Share {
  const sum = (key: keyof Share) => needleKinds.reduce((total, kind) => total + retained[kind][key], 0);
  return { kept: sum('kept'), of: sum('of') };
}

/** `85 %`; 100 % is all of it, and 0 % is nothing. */
function percent(share: number): string {
  const isPart = share > 0 && share < 1;
  const rounded = Math.round(share * 100);
  return `${isPart ? Math.min(99, Math.max(1, rounded)) : rounded} %`;
}

function shareText({ kept, of }: Share): string {
  return of === 0 ? NOTHING : percent(kept / of);
}

/** One transcript in one window, with what every approach did with it: ours first. */
export interface BenchCase {
  readonly transcript: BenchReport['transcripts'][number];
  readonly results: readonly Result[];
}

export function benchCases(report: BenchReport): readonly BenchCase[] {
  return report.transcripts.map((transcript) => ({
    transcript,
    results: report.results
      .filter((result) => result.transcript === transcript.name && result.contextWindow === transcript.contextWindow)
      .toSorted((a, b) => Number(b.isOurs) - Number(a.isOurs)),
  }));
}

/**
 * The approach with the best value of a figure in a case, among those that stayed within the window at every step,
 * since a provider refuses longer requests. Null if all are alike, or if neither direction is better.
 */
export function bestOf(column: BenchColumn, results: readonly Result[]): ReadonlySet<Result> {
  const measured = results.flatMap((result) => {
    const value = result.figures && column.valueOf(result.figures);
    return result.figures && value !== null ? [{ result, value, isOver: result.figures.timesOver > 0 }] : [];
  });
  const compared = column.key === 'timesOver' ? measured : measured.filter(({ isOver }) => !isOver);
  const values = compared.map(({ value }) => value);
  if (column.better === null || new Set(values).size < 2) return new Set();
  const best = column.better === 'more' ? Math.max(...values) : Math.min(...values);
  return new Set(compared.filter(({ value }) => value === best).map(({ result }) => result));
}

function ofShare(key: BenchColumnKey, shareOf: (figures: Figures) => Share): BenchColumn {
  return {
    key,
    better: 'more',
    valueOf: (figures) => {
      const { kept, of } = shareOf(figures);
      return of === 0 ? null : kept / of;
    },
    textOf: (figures) => shareText(shareOf(figures)),
  };
}

/** At the end, by which it is compared, and on average. */
function ofShareAndMean(key: BenchColumnKey, read: (figures: Figures) => readonly [Share, number]): BenchColumn {
  const atEnd = ofShare(key, (figures) => read(figures)[0]);
  return {
    ...atEnd,
    textOf: (figures) => {
      const [share, mean] = read(figures);
      return share.of === 0 ? NOTHING : `${shareText(share)} / ${percent(mean)}`;
    },
  };
}

function ofCount(
  key: 'orphans' | 'tokensAfter' | 'tokensMean' | 'compactions' | 'modelCalls',
  better: BenchColumn['better'],
): BenchColumn {
  return {
    key,
    better,
    valueOf: (figures) => figures[key],
    textOf: (figures) => integer.format(figures[key]),
  };
}

function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(1) : integer.format(Math.round(value));
}
