'use client';

import { useState } from 'react';
import { PageTitle } from '#components/admin/page-title';
import { Section } from '#components/admin/section';
import { ExportSection } from '#components/library/import/export-section';
import { ImportForm } from '#components/library/import/import-form';
import { PastImports } from '#components/library/import/past-imports';
import { RunCard } from '#components/library/import/run-card';
import { useImports } from '#lib/library/use-imports';
import { importStrings } from '#lib/strings/imports';

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
