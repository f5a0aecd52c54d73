import { expect, it } from 'vitest';
import { benchColumns, bestOf, percent } from '#tests/bench/context/bench-columns';
import type { Figures, Result } from '#tests/bench/context/bench-report';

const share = (kept: number) => ({ kept, of: 10 });

function result(approach: string, known: number, figures: Partial<Figures> = {}): Result {
  const measured: Figures = {
    retained: { id: share(0), number: share(0), path: share(0), url: share(0) },
    known: share(known),
    knownMean: known / 10,
    userWords: share(0),
    userWordsMean: 0,
    userWordsFound: share(0),
    callNames: share(0),
    callNamesMean: 0,
    actedOn: share(0),
    recallable: share(0),
    latestRequest: share(10),
    firstRequest: true,
    standingInstructions: { kept: 0, of: 0 },
    orphans: 0,
    tokensAfter: 100,
    tokensMean: 90,
    timesOver: 0,
    steps: 10,
    compactions: 1,
    modelCalls: 0,
    unchangedPrefix: 0.5,
    cpu: { median: 1, most: 2 },
    ...figures,
  };
  const about = { source: 'a package', isOurs: false, setup: '', transcript: 'one', contextWindow: 4_000 };
  return { approach, ...about, figures: measured, error: null };
}

const column = (key: string) => benchColumns.find((each) => each.key === key)!;
const names = (key: string, results: readonly Result[]) =>
  [...bestOf(column(key), results)].map((each) => each.approach);

it('the best is who has the best value of those who stayed within the window', () => {
  const results = [result('a', 5), result('b', 7), result('over', 9, { timesOver: 3 })];
  expect(names('known', results)).toEqual(['b']);
  expect(names('timesOver', results)).toEqual(['a', 'b']);
});

it('nobody is the best where all are alike, or nothing was measured', () => {
  const results = [result('a', 5), result('b', 7)];
  expect(names('latestRequest', results)).toEqual([]);
  expect(names('standingInstructions', results)).toEqual([]);
});

it('only all of it is 100 %, and only nothing is 0 %', () => {
  expect([0, 0.001, 0.5, 0.999, 1].map(percent)).toEqual(['0 %', '1 %', '50 %', '99 %', '100 %']);
});
