'use client';

import { useState } from 'react';
import { paths } from '#components/api/paths';
import { ImportForm } from '#components/library/import-form';
import { importStrings } from '#components/library/import-words';
import { PastImports, RunCard } from '#components/library/run-card';
import { useImports } from '#components/library/use-imports';
import { Option } from '#components/ui/fields';
import { PageTitle, Section } from '#components/ui/page-parts';

/** Brings in a site from elsewhere, says what became of it, and gives out the site that is here. */
export function ImportScreen() {
  const imports = useImports();
  const [startedId, setStartedId] = useState<string | null>(null);
  const { runs = [], show } = imports;
  const running = runs.find(({ status }) => status === 'running');
  const current = running ?? runs.find(({ id }) => id === startedId);
  return (
    <div className="mx-auto max-w-[56rem]">
      <PageTitle title={importStrings.title} intro={importStrings.intro} />
      <Section title={importStrings.import.title} intro={importStrings.import.body}>
        {current && <RunCard key={current.id} run={current} isOwn={current.id === startedId} onRun={show} />}
        {running === undefined && (
          <ImportForm
            onStarted={(run) => {
              show(run);
              setStartedId(run.id);
            }}
          />
        )}
      </Section>
      <PastImports imports={imports} besides={current?.id} />
      <ExportSection />
    </div>
  );
}

const say = importStrings.export;

/** The whole site as a file. */
function ExportSection() {
  const [media, setMedia] = useState(true);
  return (
    <Section title={say.title} intro={say.body}>
      <p className="-mt-4 mb-5 text-sm text-ink-3">{say.without}</p>
      <Option label={say.media} hint={say.mediaHint} isOn={media} onChange={setMedia} />
      <a
        href={paths.siteExport({ media })}
        download
        className="mt-5 inline-flex h-8 items-center rounded-md border border-rule-strong bg-sheet px-3 text-sm font-medium hover:border-ink-3"
      >
        {say.download}
      </a>
    </Section>
  );
}
