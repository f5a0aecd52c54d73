import { dayName } from '#lib/ui/format';
import type { BenchReport } from '#lib/bench/bench-report';
import { benchStrings } from '#lib/strings/bench';

const say = benchStrings.run;

interface BenchFactsProps {
  readonly report: BenchReport;
  readonly source: 'own' | 'shipped';
}

/** When, where and how it was measured. */
export function BenchFacts({ report, source }: BenchFactsProps) {
  const { processor, cores, memoryGb, system, node } = report.machine;
  const facts = [
    [say.source, say.sources[source]],
    [say.date, dayName(Date.parse(report.date))],
    [say.machine, say.machineOf(processor, cores, memoryGb)],
    [say.system, say.systemOf(system, node)],
    [say.command, report.command],
  ];
  return (
    <dl aria-label={say.label} className="mt-8 grid gap-x-10 gap-y-3 text-sm sm:grid-cols-2 lg:grid-cols-3">
      {facts.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-ink-3">{name}</dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
