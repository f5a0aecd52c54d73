import { useId, useMemo, useState } from 'react';
import useSWR from 'swr';
import { api, type Page } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { ChangeDetail, RowToggle } from '#components/changes/change-row';
import { whoMade } from '#components/changes/change-facts';
import { rewrite } from '#components/changes/undo-actions';
import { useChanges } from '#components/changes/use-changes';
import { changesStrings } from '#components/changes/words';
import { strings } from '#components/words';
import { entryRefAt } from '#components/desk/preview-path';
import { inYourWords } from '#components/served-words';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog, ReadingDialog } from '#components/ui/dialogs';
import { dayAndTime } from '#components/ui/times';
import { LoadFailed } from '#components/ui/notices';
import type { Entry, SiteSettings } from '#server/core/content';
import type { Version } from '#server/core/changes';

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
    <ReadingDialog title={entry.data ? say.title(entry.data.draft.title) : strings.page.history} onClose={onClose}>
      <div className="py-2">
        {entry.data ? (
          <Versions entry={entry.data} onClose={onClose} />
        ) : entry.error === undefined ? (
          <p className="py-4 text-sm text-ink-3">{say.loading}</p>
        ) : (
          <LoadFailed title={say.failed} onRetry={() => void entry.mutate()} />
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
    return <LoadFailed title={say.failed} onRetry={() => void mutate()} />;
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

const changeWords = changesStrings;

interface VersionRowProps {
  readonly version: Version;
  readonly isCurrent: boolean;
  /** The change that made it; null: not known (yet). */
  readonly changeId: string | null;
  readonly onRestore: () => void;
}

/** One version: time, author, summary, and a button to restore it. */
export function VersionRow({ version, isCurrent, changeId, onRestore }: VersionRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const when = dayAndTime(version.createdAt);
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <RowToggle isOpen={isOpen} controls={id} onToggle={() => setIsOpen(!isOpen)} className="min-w-48">
          <span className="min-w-0 [overflow-wrap:anywhere]">{inYourWords(version.summary)}</span>
        </RowToggle>
        {isCurrent ? (
          <span className="px-2 py-0.5 text-xs text-ink-3">{changeWords.history.current}</span>
        ) : (
          <Button
            aria-label={changeWords.history.restoreLabel(when)}
            onClick={onRestore}
            className="h-7! px-2! text-xs!"
          >
            {changeWords.history.restore}
          </Button>
        )}
      </div>
      <p className="flex flex-wrap gap-x-3 pl-5.5 text-xs text-ink-3">
        <time dateTime={new Date(version.createdAt).toISOString()}>{when}</time>
        <span>{whoMade(version)}</span>
        {version.isPublished && <span className="text-accent">{changeWords.history.wasPublished}</span>}
      </p>
      <div id={id} hidden={!isOpen} className="mt-2 mb-1 ml-5.5">
        {isOpen && changeId !== null && <ChangeDetail changeId={changeId} />}
      </div>
    </li>
  );
}
