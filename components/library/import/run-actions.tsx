import Link from 'next/link';
import { useState } from 'react';
import { UndoDialog } from '#components/changes/undo-dialog';
import { Button } from '#components/ui/button';
import { api } from '#lib/api/api-client';
import { changesViewQuery } from '#lib/changes/changes-view';
import { LIBRARY_CHANGES_PATH } from '#lib/desk/navigation';
import { importStrings } from '#lib/strings/imports';
import type { ImportRun } from '#server/core/imports';

const say = importStrings.run;

/** From an import to what it changed, and back to how things were. Its changes go by its id. */
export function RunActions({ run: { id, filename, report } }: { readonly run: ImportRun }) {
  const [isAsking, setIsAsking] = useState(false);
  if (Object.values(report.counts).every(({ created, updated }) => created + updated === 0)) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-5 gap-y-2">
      <Button aria-label={say.undoLabel(filename)} onClick={() => setIsAsking(true)}>
        {say.undo}
      </Button>
      <Link
        href={`${LIBRARY_CHANGES_PATH}?${changesViewQuery({ sessionId: id })}`}
        aria-label={say.changesLabel(filename)}
        prefetch={false}
        className="text-sm underline decoration-rule-strong underline-offset-2 hover:decoration-ink"
      >
        {say.changes}
      </Link>
      <UndoDialog
        selection={isAsking ? { sessionId: id, turnId: null } : null}
        title={say.undoTitle(filename)}
        undo={() => api.undoImport(id)}
        onClose={() => setIsAsking(false)}
      />
    </div>
  );
}
