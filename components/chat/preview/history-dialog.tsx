import { useMemo, useState } from 'react';
import useSWR from 'swr';
import { VersionRow } from '#components/chat/preview/version-row';
import { Button } from '#components/ui/button';
import { ConfirmDialog } from '#components/ui/confirm-dialog';
import { Notice } from '#components/ui/notice';
import { ReadingDialog } from '#components/ui/reading-dialog';
import { api, paths } from '#lib/api/api-client';
import type { Page } from '#lib/api/api-client';
import { rewrite } from '#lib/changes/rewrite-entry';
import { useChanges } from '#lib/changes/use-changes';
import { entryRefAt } from '#lib/preview/preview-path';
import { changesStrings } from '#lib/strings/changes';
import type { Entry, SiteSettings, Version } from '#server/core/content';

const say = changesStrings.history;

interface HistoryDialogProps {
  readonly path: string;
  readonly onClose: () => void;
}

/** The versions that the page in the preview had, what each changed, and the way back to one. */
export function HistoryDialog({ path, onClose }: HistoryDialogProps) {
  const { data: settings } = useSWR<SiteSettings>(paths.settings);
  const shown = settings && entryRefAt(path, settings.homeSlug);
  const entry = useSWR<Entry>(shown && paths.entry(shown.type, shown.slug), { shouldRetryOnError: false });
  return (
    <ReadingDialog title={entry.data ? say.title(entry.data.draft.title) : say.open} onClose={onClose}>
      <div className="py-2">
        {entry.data ? (
          <Versions entry={entry.data} onClose={onClose} />
        ) : entry.error === undefined ? (
          <p className="py-4 text-sm text-ink-3">{say.loading}</p>
        ) : (
          <Notice title={say.failed} action={{ label: changesStrings.retry, run: () => void entry.mutate() }} />
        )}
      </div>
    </ReadingDialog>
  );
}

interface VersionsProps {
  readonly entry: Entry;
  readonly onClose: () => void;
}

function Versions({ entry, onClose }: VersionsProps) {
  const { data, error, mutate } = useSWR<Page<Version>>(paths.versions(entry.type, entry.id));
  const changes = useChanges({ targetId: entry.id });
  const byRevision = useMemo(
    () => new Map((changes.items ?? []).map(({ revision, id }) => [revision, id])),
    [changes.items],
  );
  if (error !== undefined && !data) {
    return <Notice title={say.failed} action={{ label: changesStrings.retry, run: () => void mutate() }} />;
  }
  if (!data) return <p className="py-4 text-sm text-ink-3">{say.loading}</p>;
  return (
    <>
      {entry.status === 'changed' && <Discard entry={entry} onDone={onClose} />}
      <ol className="divide-y divide-rule">
        {data.items.map((version) => (
          <VersionRow
            key={version.revision}
            version={version}
            isCurrent={version.revision === entry.revision}
            changeId={byRevision.get(version.revision) ?? null}
            onRestore={() => {
              onClose();
              void rewrite(() => api.restoreVersion(entry.type, entry.id, version.revision), say.restored);
            }}
          />
        ))}
      </ol>
    </>
  );
}

function Discard({ entry, onDone }: { readonly entry: Entry; readonly onDone: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <div className="flex justify-end py-2">
      <Button onClick={() => setIsAsking(true)}>{say.discard}</Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={say.discardTitle}
        body={say.discardBody}
        confirm={say.discard}
        onConfirm={() => {
          onDone();
          void rewrite(() => api.discardDraft(entry.type, entry.id), say.discarded);
        }}
      />
    </div>
  );
}
