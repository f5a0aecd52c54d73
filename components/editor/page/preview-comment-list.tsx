import { useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { dayAndTime } from '#components/ui/times.ts';
import { kindName } from '#components/editor/model/field-labels.ts';
import { SharedDraftSection } from '#components/editor/page/shared-draft-section';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { sectionName } from '#server/core/site/section-name';
import type { EntryType } from '#server/core/site/content';
import type { PreviewComment } from '#server/core/site/preview/preview-comments';

const t = translator('previewLinks.comments');

interface CommentedEntry {
  readonly type: EntryType;
  readonly id: string;
}

/** Comments of people with a preview link: each can be marked as done, and deleted. */
export function PreviewCommentList({ entry }: { readonly entry: CommentedEntry }) {
  // Without the default interval, a dialog opened twice within two seconds would show the comments of the first time.
  const { data, error, mutate } = useApi(paths.comments(entry.type, entry.id), { dedupingInterval: 0 });
  const { data: page } = useApi(paths.entry(entry.type, entry.id));
  const refresh = () => void mutate();
  const aboutOf = ({ sectionId }: PreviewComment) => {
    if (sectionId === null) return t('page');
    const section = page?.draft.sections.find(({ id }) => id === sectionId);
    if (section === undefined) return t('gone');
    const name = sectionName(section);
    return name === '' ? kindName(section.type) : name;
  };
  return (
    <SharedDraftSection
      id="preview-comments"
      title={t('title')}
      items={data?.items}
      error={error}
      texts={{ none: t('none'), loading: t('loading'), failed: t('failed') }}
      onRetry={refresh}
      renderRow={(comment) => (
        <CommentRow entry={entry} comment={comment} about={aboutOf(comment)} onChanged={refresh} />
      )}
    />
  );
}

interface CommentRowProps {
  readonly entry: CommentedEntry;
  readonly comment: PreviewComment;
  readonly about: string;
  readonly onChanged: () => void;
}

function CommentRow({ entry, comment, about, onChanged }: CommentRowProps) {
  const { id, name, text, createdAt, resolvedAt } = comment;
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const when = dayAndTime(createdAt);
  const isDone = resolvedAt !== null;
  const act = async (change: () => Promise<unknown>) => {
    setIsBusy(true);
    try {
      await change();
    } catch (error) {
      reportFailure(error);
    }
    setIsBusy(false);
    onChanged();
  };
  return (
    <div className="py-3">
      <p className="flex flex-wrap gap-x-3 text-xs text-ink-3">
        <span>{name === '' ? t('anonymous') : t('by', { name })}</span>
        <time dateTime={new Date(createdAt).toISOString()}>{when}</time>
        <span>{t('about', { section: about })}</span>
        {isDone && <span className="text-accent">{t('done')}</span>}
      </p>
      {/* Plain text of a stranger: no Markdown, no links. */}
      <p className="mt-1 text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">{text}</p>
      <div className="mt-1 flex flex-wrap justify-end gap-1">
        <Button
          variant="ghost"
          isBusy={isBusy}
          aria-label={t(isDone ? 'reopenOf' : 'resolveOf', { when })}
          onClick={() => void act(() => api.resolveComment(entry.type, entry.id, id, !isDone))}
        >
          {t(isDone ? 'reopen' : 'resolve')}
        </Button>
        <Button variant="ghost" isBusy={isBusy} aria-label={t('deleteOf', { when })} onClick={() => setIsAsking(true)}>
          {t('delete')}
        </Button>
        <ConfirmDialog
          open={isAsking}
          onOpenChange={setIsAsking}
          title={t('deleteTitle')}
          body={t('deleteBody')}
          confirm={t('delete')}
          onConfirm={() => void act(() => api.deleteComment(entry.type, entry.id, id))}
        />
      </div>
    </div>
  );
}
