import type { BenchReport, Figures, Result, Share } from '#tests/bench/context/bench-report';
import { defaultSettings } from '#server/context/settings/context-settings';
import { reasonFor } from '#tests/bench/context/worse-reasons';

/** A figure with a better direction; the size of a view and its number of changes have none. */
export interface ComparedFigure {
  readonly name: string;
  readonly of: (figures: Figures) => number;
  readonly isLowerBetter?: boolean;
  readonly show: (value: number) => string;
}

const percent = (value: number) => `${Math.round(value * 100)} %`;
const milliseconds = (value: number) => `${value.toFixed(1)} ms`;
/** Where nothing had to be kept, nothing was lost. */
const part = ({ kept, of }: Share) => (of === 0 ? 1 : kept / of);

const compared: readonly ComparedFigure[] = [
  { name: 'retained: ids', of: ({ retained }) => part(retained.id), show: percent },
  { name: 'retained: numbers', of: ({ retained }) => part(retained.number), show: percent },
  { name: 'retained: paths', of: ({ retained }) => part(retained.path), show: percent },
  { name: 'retained: urls', of: ({ retained }) => part(retained.url), show: percent },
  { name: 'known', of: ({ known }) => part(known), show: percent },
  { name: 'known on average', of: ({ knownMean }) => knownMean, show: percent },
  { name: 'user’s messages in view', of: ({ userWords }) => part(userWords), show: percent },
  { name: 'user’s messages in view on average', of: ({ userWordsMean }) => userWordsMean, show: percent },
  { name: 'names from calls in view', of: ({ callNames }) => part(callNames), show: percent },
  { name: 'names from calls in view on average', of: ({ callNamesMean }) => callNamesMean, show: percent },
  { name: 'acted on', of: ({ actedOn }) => part(actedOn), show: percent },
  { name: 'recallable', of: ({ recallable }) => part(recallable), show: percent },
  { name: 'latest request', of: ({ latestRequest }) => part(latestRequest), show: percent },
  { name: 'first request', of: ({ firstRequest }) => Number(firstRequest), show: (is) => (is === 1 ? 'kept' : 'lost') },
  { name: 'standing instructions', of: ({ standingInstructions }) => part(standingInstructions), show: percent },
  { name: 'unchanged prefix', of: ({ unchangedPrefix }) => unchangedPrefix, show: percent },
  { name: 'orphans', of: ({ orphans }) => orphans, isLowerBetter: true, show: String },
  { name: 'steps over the window', of: ({ timesOver }) => timesOver, isLowerBetter: true, show: String },
  { name: 'model calls', of: ({ modelCalls }) => modelCalls, isLowerBetter: true, show: String },
  { name: 'processor time, median', of: ({ cpu }) => cpu.median, isLowerBetter: true, show: milliseconds },
  { name: 'processor time, most', of: ({ cpu }) => cpu.most, isLowerBetter: true, show: milliseconds },
];

/** Where there is no reason. */
export const NO_REASON = 'No reason is given.';

/** Every figure in which the default strategy is visibly worse than the best peer's, with the reason. */
export function findWorse(results: readonly Result[]): BenchReport['worse'] {
  const ours = results.filter(({ approach }) => approach === `Throughline: ${defaultSettings.strategy}`);
  return ours.flatMap((own) => {
    const peers = results.filter(
      ({ isOurs, transcript, contextWindow }) =>
        !isOurs && transcript === own.transcript && contextWindow === own.contextWindow,
    );
    // What asks for more than the window holds is refused by a provider: it is named, but no measure for what is not.
    const within = peers.filter(({ figures }) => figures?.timesOver === 0);
    if (own.figures === null) return failed(own, within);
    return compared.flatMap((figure) => {
      const ofAll = worseIn(figure, own, peers);
      const among = figure.isLowerBetter ? ofAll : worseIn(figure, own, within);
      // An approach without model calls is always the best at that: those with calls are compared separately.
      const asking = figure.name === 'model calls' ? peers.filter(asksModel) : [];
      const all = [among, ofAll, worseIn(figure, own, asking)].filter((each) => each !== null);
      return [...new Map(all.map((each) => [each.peer, each])).values()];
    });
  });
}

function asksModel({ figures }: Result): boolean {
  return figures !== null && figures.modelCalls > 0;
}

/** It has no figures: worse than any peer that went through within the window. */
function failed(own: Result, [peer]: readonly Result[]): BenchReport['worse'] {
  if (!peer) return [];
  const transcript = nameOf(own);
  const ours = own.error ?? 'failed';
  return [{ figure: 'went through', transcript, ours, best: 'yes', peer: peer.approach, why: NO_REASON }];
}

function nameOf({ transcript, contextWindow }: Result): string {
  return `${transcript} in ${contextWindow.toLocaleString('en-US')}`;
}

function worseIn(figure: ComparedFigure, own: Result, peers: readonly Result[]): BenchReport['worse'][number] | null {
  if (own.figures === null) return null;
  const value = figure.of(own.figures);
  const sign = figure.isLowerBetter ? -1 : 1;
  const measured = peers.flatMap(({ approach, figures }) => (figures === null ? [] : [{ approach, figures }]));
  const [best] = measured.toSorted((a, b) => sign * (figure.of(b.figures) - figure.of(a.figures)));
  if (!best) return null;
  const bestValue = figure.of(best.figures);
  if (sign * (bestValue - value) <= 0 || figure.show(value) === figure.show(bestValue)) return null;
  return {
    figure: figure.name,
    transcript: nameOf(own),
    ours: figure.show(value),
    best: figure.show(bestValue),
    peer: best.approach,
    why: reasonFor(figure.name, own.figures, best) ?? NO_REASON,
  };
}
