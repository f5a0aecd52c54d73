import { useId, useMemo, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { RowToggle } from '#components/changes/row-toggle';
import { ChangeDetail } from '#components/changes/change-detail';
import { CompareVersions } from '#components/changes/version-differences';
import { whoMade } from '#components/changes/change-facts.ts';
import { rewrite } from '#components/changes/undo-actions.ts';
import { useChanges } from '#components/changes/use-changes.ts';
import { entryRefAt } from '#components/workspace/preview-path.ts';
import { summaryText } from '#components/message-text.ts';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { ReadingDialog } from '#components/ui/dialogs/dialogs';
import { dayAndTime } from '#components/ui/times.ts';
import { LoadFailed } from '#components/ui/notices';
import { useApi } from '#components/api/use-api.ts';
import type { Entry } from '#server/core/site/content';
import type { Version } from '#server/core/site/changes';

const t = translator('changes');
const tShared = translator('shared');

interface HistoryDialogProps {
  readonly path: string;
  readonly onClose: () => void;
}

/** The versions of the page in the preview, what each changed, and a button to restore one. */
export function HistoryDialog({ path, onClose }: HistoryDialogProps) {
  const { data: settings } = useApi(paths.settings);
  const shown = settings && entryRefAt(path, settings.homeSlug);
  const entry = useApi(shown && paths.entry(shown.type, shown.slug), { shouldRetryOnError: false });
  return (
    <ReadingDialog
      title={entry.data ? t('history.title', { title: entry.data.draft.title }) : tShared('page.history')}
      isWide
      onClose={onClose}
    >
      <div className="py-2">
        {entry.data ? (
          <Versions entry={entry.data} onClose={onClose} />
        ) : entry.error === undefined ? (
          <p className="py-4 text-sm text-ink-3">{t('history.loading')}</p>
        ) : (
          <LoadFailed title={t('history.failed')} onRetry={() => void entry.mutate()} />
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
  const { data, error, mutate } = useApi(paths.versions(entry.type, entry.id));
  const changes = useChanges({ targetId: entry.id });
  const byRevision = useMemo(
    () => new Map((changes.items ?? []).map(({ revision, id }) => [revision, id])),
    [changes.items],
  );
  if (error !== undefined && !data) {
    return <LoadFailed title={t('history.failed')} onRetry={() => void mutate()} />;
  }
  if (!data) return <p className="py-4 text-sm text-ink-3">{t('history.loading')}</p>;
  return (
    <>
      <CompareVersions entry={entry} versions={data.items} />
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
              void rewrite(() => api.restoreVersion(entry.type, entry.id, version.revision), t('history.restored'));
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
      <Button onClick={() => setIsAsking(true)}>{t('history.discard')}</Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('history.discardTitle')}
        body={t('history.discardBody')}
        confirm={t('history.discard')}
        onConfirm={() => {
          onDone();
          void rewrite(() => api.discardDraft(entry.type, entry.id), t('history.discarded'));
        }}
      />
    </div>
  );
}

interface VersionRowProps {
  readonly version: Version;
  readonly isCurrent: boolean;
  /** The change that created it; null while unknown. */
  readonly changeId: string | null;
  readonly onRestore: () => void;
}

/** One version: time, author, summary, and a button to restore it. */
function VersionRow({ version, isCurrent, changeId, onRestore }: VersionRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const when = dayAndTime(version.createdAt);
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <RowToggle isOpen={isOpen} controls={id} onToggle={() => setIsOpen(!isOpen)} className="min-w-48">
          <span className="min-w-0 [overflow-wrap:anywhere]">{summaryText(version)}</span>
        </RowToggle>
        {isCurrent ? (
          <span className="px-2 py-0.5 text-xs text-ink-3">{t('history.current')}</span>
        ) : (
          <Button aria-label={t('history.restoreLabel', { when })} onClick={onRestore} className="h-7! px-2! text-xs!">
            {t('history.restore')}
          </Button>
        )}
      </div>
      <p className="flex flex-wrap gap-x-3 pl-5.5 text-xs text-ink-3">
        <time dateTime={new Date(version.createdAt).toISOString()}>{when}</time>
        <span>{whoMade(version)}</span>
        {version.isPublished && <span className="text-accent">{t('history.wasPublished')}</span>}
      </p>
      <div id={id} hidden={!isOpen} className="mt-2 mb-1 ml-5.5">
        {isOpen && changeId !== null && <ChangeDetail changeId={changeId} />}
      </div>
    </li>
  );
}
