import clsx from 'clsx';
import { RotateCcw } from 'lucide-react';
import { cloneElement, type ComponentProps, Fragment, type ReactElement, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { useMe } from '#components/access/access-client.ts';
import { messageFiles } from '#components/api/chat-message.ts';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import type { FailedSend } from '#components/chat/session/chat-session-state.ts';
import { useChatActions } from '#components/chat/transcript/chat-actions.ts';
import { type SettingsSectionName, settingsSectionPath } from '#components/workspace/settings-pages.ts';
import { useWorkspaceActions } from '#components/workspace/workspace-actions.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { Popover } from '#components/ui/menus';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { CodedMessage } from '#server/core/coded-message';
import { codesIn } from '#server/core/message-data';
import type { MessageCode } from '#server/core/messages/message-codes';

const tMessageAction = translator('messageAction');
const t = translator('transcript');
const tShared = translator('shared');

interface FailedSendNoticeProps {
  readonly session: ChatSession;
  readonly failed: FailedSend;
}

/** Notice below a message that the server did not accept, with buttons to send it again, edit or discard it. */
export function FailedSendNotice({ session, failed }: FailedSendNoticeProps) {
  const { message, reason, isOffline } = failed;
  const { focusComposer } = useWorkspaceActions();
  // Moving the text back to the field would lose its files.
  const isChangeable = messageFiles(message).length === 0;
  const change = () => {
    session.outbox.takeBack(message.id);
    focusComposer();
  };
  return (
    <div role="alert" className="-mt-5 flex flex-wrap items-center gap-2 text-sm">
      {isOffline ? (
        <p className="text-ink-2">{t('sendLater')}</p>
      ) : (
        <p className="text-red">
          {t('sendFailed')} {reason}
        </p>
      )}
      {isChangeable && <Button onClick={change}>{t('change')}</Button>}
      <Button variant="ghost" onClick={() => void session.outbox.resend(message.id)}>
        {t('resend')}
      </Button>
      <Button variant="ghost" onClick={() => session.outbox.discard(message.id)}>
        {t('discard')}
      </Button>
    </div>
  );
}

/** Sections of the settings in which an administrator can fix the cause of an error. */
const places: readonly {
  readonly codes: readonly MessageCode[];
  readonly section: SettingsSectionName;
  readonly label: 'keyPlace' | 'modelPlace' | 'budgetPlace';
}[] = [
  { codes: ['provider-key-refused'], section: 'providers', label: 'keyPlace' },
  { codes: ['provider-no-tools'], section: 'models', label: 'modelPlace' },
  { codes: ['budget-install', 'budget-person', 'budget-conversation'], section: 'budgets', label: 'budgetPlace' },
];

interface TurnErrorNoticeProps {
  readonly reason: string;
  /** The error as data; null or undefined if it has no code. */
  readonly cause: CodedMessage | null | undefined;
  /** Number of site changes by the answer. */
  readonly changes: number;
  /** True for the newest answer, unless its request is being edited. */
  readonly canRetry: boolean;
  /** True if it has just happened; it is then announced. */
  readonly isNew: boolean;
}

/**
 * Notice below an answer that ended with an error: the reason, where an administrator can fix it, and a retry button.
 */
export function TurnErrorNotice({ reason, cause, changes, canRetry, isNew }: TurnErrorNoticeProps) {
  const isAdmin = useMe()?.role === 'admin';
  const found: readonly string[] = isAdmin && cause ? codesIn(cause) : [];
  return (
    <div
      role={isNew ? 'alert' : undefined}
      className="flex flex-wrap items-center gap-3 rounded-lg bg-red-wash px-4 py-3 text-sm"
    >
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {reason}
        {places
          .filter(({ codes }) => codes.some((code) => found.includes(code)))
          .map(({ section, label }) => (
            <Fragment key={section}>
              {' '}
              <a href={settingsSectionPath(section)} className="text-accent underline underline-offset-3">
                {t(label)}
              </a>
            </Fragment>
          ))}
      </p>
      {canRetry && <RetryButton changes={changes} />}
    </div>
  );
}

interface RetryProps {
  /** Number of site changes by the answer. */
  readonly changes: number;
}

/** Retry button for the newest request, in the row below its answer. */
export function RetryIcon({ changes }: RetryProps) {
  return (
    <Retry changes={changes}>
      <IconButton label={tMessageAction('retry')} icon={<RotateCcw aria-hidden />} />
    </Retry>
  );
}

/** Retry button with a text. */
function RetryButton({ changes }: RetryProps) {
  return (
    <Retry changes={changes}>
      <Button>{tMessageAction('retry')}</Button>
    </Retry>
  );
}

/** Retries immediately, or first asks whether to undo the changes by the answer. */
function Retry({ changes, children }: RetryProps & { readonly children: ReactElement<ComponentProps<'button'>> }) {
  const { retry } = useChatActions();
  const [isOpen, setIsOpen] = useState(false);
  const [undoes, setUndoes] = useState(true);
  const run = (undoChanges: boolean) => {
    setIsOpen(false);
    void retry(undoChanges).catch(reportFailure);
  };
  if (changes === 0) return cloneElement(children, { onClick: () => run(false) });
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      trigger={children}
      aria-label={tMessageAction('retryTitle')}
      align="start"
      className="w-72 p-4 text-sm"
    >
      <p className="font-medium">{tMessageAction('retryTitle')}</p>
      <p className="mt-1 text-ink-2">{tMessageAction('retryBody')}</p>
      <UndoChoice changes={changes} isChosen={undoes} onChoose={setUndoes} className="mt-3" />
      <div className="mt-4 flex justify-end gap-2">
        <Button variant="ghost" onClick={() => setIsOpen(false)}>
          {tShared('common.cancel')}
        </Button>
        <Button variant="primary" onClick={() => run(undoes)}>
          {tMessageAction('retry')}
        </Button>
      </div>
    </Popover>
  );
}

interface UndoChoiceProps {
  /** Number of changes to undo. */
  readonly changes: number;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly className?: string;
}

/** Choice whether to undo the answer's changes to the site. */
export function UndoChoice({ changes, isChosen, onChoose, className }: UndoChoiceProps) {
  return (
    <label className={clsx('flex items-start gap-2 text-sm', className)}>
      <input
        type="checkbox"
        checked={isChosen}
        onChange={(event) => onChoose(event.target.checked)}
        className="mt-0.5 size-4 accent-accent"
      />
      <span>{tMessageAction('undoChanges', { count: changes })}</span>
    </label>
  );
}
