import clsx from 'clsx';
import { Clock, Paperclip, PencilLine, SendHorizontal, X } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Button } from '#components/ui/button';
import { IconButton } from '#components/ui/icon-button';
import { focusAtEnd } from '#lib/focus/focus-at-end';
import { isComposing } from '#lib/ui/is-composing';
import { strings } from '#lib/strings';
import type { HoldReason } from '#server/core/turns';

interface QueueRowProps {
  readonly text: string;
  /** Names of what is attached. */
  readonly files: readonly string[];
  /** Why only the user sends it; null: it goes in its turn. */
  readonly heldReason: HoldReason | null;
  /** Counts from 1. */
  readonly place: number;
  readonly isEditing: boolean;
  /** A turn runs: nothing can be sent before it has ended. */
  readonly isRunning: boolean;
  readonly onEdit: (text: string) => void;
  readonly onEdited: () => void;
  readonly onCancelEdit: () => void;
  readonly onSend: () => void;
  readonly onRemove: () => void;
}

/** One waiting message. */
export function QueueRow(props: QueueRowProps) {
  const { text, files, heldReason, place, isEditing, isRunning } = props;
  if (isEditing) return <EditRow {...props} />;
  const isNext = place === 1;
  return (
    <li className="flex animate-rise items-center gap-2 text-sm">
      <Clock aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <span title={text} className="min-w-0 flex-1 truncate">
        {text}
        {files.length > 0 && <Files names={files} isAll={text === ''} />}
      </span>
      {heldReason === null ? (
        <span className="shrink-0 text-xs text-ink-3 max-sm:sr-only">
          {isNext ? strings.queue.waiting : strings.queue.waitingAfter(place)}
        </span>
      ) : (
        <span className="shrink-0 text-xs text-amber">{strings.queue.heldReasons[heldReason]}</span>
      )}
      <span className="flex shrink-0">
        {!(isRunning && isNext && heldReason === null) && (
          <IconButton
            label={isRunning ? strings.queue.sendNext : strings.queue.sendNow}
            icon={<SendHorizontal aria-hidden />}
            onClick={props.onSend}
          />
        )}
        <IconButton
          data-queued="edit"
          label={strings.queue.edit}
          icon={<PencilLine aria-hidden />}
          onClick={() => props.onEdit(text)}
        />
        <IconButton label={strings.queue.remove} icon={<X aria-hidden />} onClick={props.onRemove} />
      </span>
    </li>
  );
}

function Files({ names, isAll }: { readonly names: readonly string[]; readonly isAll: boolean }) {
  return (
    <span title={names.join(', ')} className={clsx('text-xs text-ink-3', !isAll && 'ml-2')}>
      <Paperclip aria-hidden className="mr-1 inline size-3" />
      <span className="sr-only">{strings.attachments.label}: </span>
      {names.join(', ')}
    </span>
  );
}

function EditRow({ text, onEdit, onEdited, onCancelEdit }: QueueRowProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'Escape') onCancelEdit();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    onEdited();
  };
  return (
    <li className="py-1">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onEdited();
        }}
        className="flex flex-col gap-2"
      >
        <textarea
          ref={focusAtEnd}
          rows={1}
          value={text}
          aria-label={strings.queue.editLabel}
          onChange={(event) => onEdit(event.target.value)}
          onKeyDown={onKeyDown}
          className="field-sizing-content max-h-32 w-full resize-none rounded-md border border-accent bg-sheet px-2 py-1 text-base outline-none"
        />
        <div className="flex justify-end gap-2">
          <Button variant="ghost" onClick={onCancelEdit}>
            {strings.common.cancel}
          </Button>
          <Button type="submit" variant="primary">
            {strings.common.save}
          </Button>
        </div>
      </form>
    </li>
  );
}
