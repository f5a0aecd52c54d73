import { FileDiff, PencilLine, Undo2 } from 'lucide-react';
import { useChatActions } from '#components/chat/chat-actions';
import { RetryIcon } from '#components/chat/retry';
import { CopyButton } from '#components/ui/copy-button';
import { IconButton } from '#components/ui/icon-button';
import { askDesk } from '#lib/desk/desk-requests';
import { reportFailure } from '#lib/ui/report-failure';
import { strings } from '#lib/strings';
import { changesStrings } from '#lib/strings/changes';

interface MessageActionsProps {
  /** What copying takes; nothing to copy where it is empty. */
  readonly text: string;
  readonly canEdit: boolean;
  readonly canRetry: boolean;
  /** Of the site, that go with the answer when it is asked for again. */
  readonly changes: number;
  /** The turn that changed the site; null: it did not, or is not known. */
  readonly changedIn: string | null;
}

/** What can be done with a message. */
export function MessageActions({ text, canEdit, canRetry, changes, changedIn }: MessageActionsProps) {
  const { edit } = useChatActions();
  return (
    <span className="flex [&_button]:size-7! [&_button]:text-ink-3 [&_svg]:size-3.5!">
      {text !== '' && <CopyButton text={text} label={strings.messageActions.copy} />}
      {canEdit && (
        <IconButton
          data-action="edit"
          label={strings.messageActions.edit}
          icon={<PencilLine aria-hidden />}
          onClick={() => void edit().catch(reportFailure)}
        />
      )}
      {canRetry && <RetryIcon changes={changes} />}
      {changedIn !== null && (
        <>
          <IconButton
            label={changesStrings.whatChanged}
            icon={<FileDiff aria-hidden />}
            onClick={() => askDesk('show-changes', { turnId: changedIn })}
          />
          <IconButton
            label={changesStrings.undoTurnAction}
            icon={<Undo2 aria-hidden />}
            onClick={() => askDesk('undo-changes', { turnId: changedIn })}
          />
        </>
      )}
    </span>
  );
}
