'use client';

import { useId, useState } from 'react';
import { BenchFacts } from '#components/admin/bench/bench-facts';
import { BenchTable } from '#components/admin/bench/bench-table';
import { KindTable } from '#components/admin/bench/kind-table';
import { WorseList } from '#components/admin/bench/worse-list';
import { Section } from '#components/admin/section';
import { fetchedLater } from '#components/ui/fetched-later';
import { benchCases, benchColumns } from '#lib/bench/bench-columns';
import type { BenchReport } from '#lib/bench/bench-report';
import { benchStrings as say } from '#lib/strings/bench';

/* The chart library is the heaviest part of these pages. */
const BenchCharts = fetchedLater(
  async () => (await import('#components/admin/bench/bench-charts')).default,
  <div aria-hidden className="h-160" />,
);

interface BenchPageProps {
  readonly report: BenchReport;
  /** This installation's own, or the one that came with it. */
  readonly source: 'own' | 'shipped';
}

/** A report: one transcript and window at a time, as charts and as tables, and what holds for all of them. */
export function BenchPage({ report, source }: BenchPageProps) {
  const cases = benchCases(report);
  const [chosen, setChosen] = useState(0);
  const shown = cases[chosen];
  const setups = new Map(report.results.map((result) => [result.approach, result]));
  return (
    <>
      <BenchFacts report={report} source={source} />
      {shown && (
        <>
          <CaseChoice
            names={cases.map(({ transcript }) => say.caseName(transcript.name, transcript.contextWindow))}
            chosen={chosen}
            onChoose={setChosen}
          />
          <p className="mt-3 max-w-[75ch] text-sm text-ink-2">{say.caseFacts(shown.transcript)}</p>
          <Section title={say.charts.title} intro={say.charts.intro}>
            <BenchCharts shown={shown} />
          </Section>
          <Section title={say.table.title} intro={say.table.intro}>
            <BenchTable shown={shown} />
          </Section>
          <Section title={say.kindTable.title} intro={say.kindTable.intro}>
            <KindTable shown={shown} />
          </Section>
        </>
      )}
      <Section title={say.worse.title}>
        <WorseList worse={report.worse} />
      </Section>
      <Section title={say.meaning.title}>
        <Terms terms={benchColumns.map(({ key }) => ({ name: say.columns[key].name, text: say.columns[key].means }))} />
      </Section>
      <Section title={say.setups.title}>
        <Terms
          terms={[...setups.values()].map(({ approach, source: from, setup }) => ({
            name: approach,
            detail: from,
            text: setup,
          }))}
        />
      </Section>
    </>
  );
}

interface CaseChoiceProps {
  readonly names: readonly string[];
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

function CaseChoice({ names, chosen, onChoose }: CaseChoiceProps) {
  const id = useId();
  return (
    <div className="mt-10 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-ink-2">
      <label htmlFor={id}>{say.which}</label>
      <select
        id={id}
        value={chosen}
        onChange={({ target }) => onChoose(Number(target.value))}
        className="h-9 max-w-full rounded-md border border-rule-strong bg-sheet px-2 text-sm text-ink"
      >
        {names.map((name, index) => (
          <option key={name} value={index}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface Term {
  readonly name: string;
  readonly detail?: string;
  readonly text: string;
}

function Terms({ terms }: { readonly terms: readonly Term[] }) {
  return (
    <dl className="grid gap-x-10 gap-y-4 text-sm md:grid-cols-2">
      {terms.map(({ name, detail, text }) => (
        <div key={name}>
          <dt className="font-medium">
            {name}
            {detail !== undefined && <span className="ml-2 font-normal text-ink-3">{detail}</span>}
          </dt>
          <dd className="mt-0.5 max-w-[65ch] text-ink-2">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
