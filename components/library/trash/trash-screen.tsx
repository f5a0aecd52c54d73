'use client';

import { PageTitle } from '#components/admin/page-title';
import { RedirectsSection } from '#components/library/trash/redirects-section';
import { TrashSection } from '#components/library/trash/trash-section';
import { libraryStrings } from '#lib/strings/library';
import type { TrashKind } from '#server/core/trash';

const kinds = Object.keys(libraryStrings.trash.kinds) as TrashKind[];

/** What was deleted, to bring back, and the old addresses that still lead on. */
export function TrashScreen() {
  return (
    <>
      <PageTitle title={libraryStrings.trash.title} intro={libraryStrings.trash.intro} />
      <div className="mt-10 flex flex-col gap-12">
        {kinds.map((kind) => (
          <TrashSection key={kind} kind={kind} />
        ))}
        <RedirectsSection />
      </div>
    </>
  );
}
