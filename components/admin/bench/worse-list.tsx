import type { BenchReport } from '#lib/bench/bench-report';
import { benchStrings } from '#lib/strings/bench';

const say = benchStrings.worse;

/** Every figure in which a peer is better than our default, with the reason. */
export function WorseList({ worse }: { readonly worse: BenchReport['worse'] }) {
  if (worse.length === 0) return <p className="text-sm text-ink-2">{say.none}</p>;
  const byTranscript = Map.groupBy(worse, ({ transcript }) => transcript);
  return [...byTranscript].map(([transcript, all]) => (
    <div key={transcript} className="mb-8">
      <h3 className="mb-3 text-sm font-medium">{transcript}</h3>
      <ul className="grid gap-x-10 gap-y-4 text-sm md:grid-cols-2">
        {all.map(({ figure, ours, best, peer, why }) => (
          <li key={`${figure} ${peer}`} className="border-t border-rule pt-2">
            <p className="flex flex-wrap justify-between gap-x-4">
              <span>{figure}</span>
              <span className="text-ink-2 tabular-nums">{say.line(ours, peer, best)}</span>
            </p>
            <p className="mt-0.5 max-w-[65ch] text-ink-2">{why}</p>
          </li>
        ))}
      </ul>
    </div>
  ));
}
