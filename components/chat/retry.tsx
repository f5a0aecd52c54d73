import { RotateCcw } from 'lucide-react';
import { Popover, Slot } from 'radix-ui';
import { type ReactElement, useState } from 'react';
import { useChatActions } from '#components/chat/chat-actions';
import { UndoChoice } from '#components/chat/undo-choice';
import { Button } from '#components/ui/button';
import { IconButton } from '#components/ui/icon-button';
import { reportFailure } from '#lib/ui/report-failure';
import { strings } from '#lib/strings';

interface RetryProps {
  /** Of the site, that the answer has made. */
  readonly changes: number;
}

/** Asks the newest request once more, from the row below its answer. */
export function RetryIcon({ changes }: RetryProps) {
  return (
    <Retry changes={changes}>
      <IconButton label={strings.messageActions.retry} icon={<RotateCcw aria-hidden />} />
    </Retry>
  );
}

/** The same from a button with words. */
export function RetryButton({ changes }: RetryProps) {
  return (
    <Retry changes={changes}>
      <Button>{strings.transcript.sendAgain}</Button>
    </Retry>
  );
}

/** At once, or after the question what is to become of the changes that the answer made. */
function Retry({ changes, children }: RetryProps & { readonly children: ReactElement }) {
  const { retry } = useChatActions();
  const [isOpen, setIsOpen] = useState(false);
  const [undoes, setUndoes] = useState(true);
  const run = (undoChanges: boolean) => {
    setIsOpen(false);
    void retry(undoChanges).catch(reportFailure);
  };
  if (changes === 0) return <Slot.Root onClick={() => run(false)}>{children}</Slot.Root>;
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger asChild>{children}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={strings.messageActions.retryTitle}
          sideOffset={6}
          collisionPadding={12}
          align="start"
          className="z-50 w-72 animate-rise rounded-lg border border-rule bg-sheet p-4 text-sm shadow-sheet"
        >
          <p className="font-medium">{strings.messageActions.retryTitle}</p>
          <p className="mt-1 text-ink-2">{strings.messageActions.retryBody}</p>
          <UndoChoice changes={changes} isChosen={undoes} onChoose={setUndoes} className="mt-3" />
          <div className="mt-4 flex justify-end gap-2">
            <Button variant="ghost" onClick={() => setIsOpen(false)}>
              {strings.common.cancel}
            </Button>
            <Button variant="primary" onClick={() => run(undoes)}>
              {strings.messageActions.retry}
            </Button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
