'use client';

import { ArrowUp, ListPlus, Square } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { ChatFile } from '#components/api/chat-message';
import { useCommands } from '#components/chat/commands/commands';
import { isShortcut } from '#components/chat/commands/shortcuts';
import { SlashList, useSlashMenu } from '#components/chat/commands/slash-list';
import { AttachButton, AttachmentChips, useDraftFiles } from '#components/chat/composer/attachments';
import { chatSession } from '#components/chat/session/chat-sessions';
import { fetchEngine } from '#components/chat/session/live-chat';
import { loadTranscript } from '#components/chat/transcript/fetched-transcript';
import { sendDraft } from '#components/chat/session/draft-files';
import { draftAt, returnToDraft, subscribeToDrafts, writeDraft } from '#components/chat/session/drafts';
import { useModelWithoutVision } from '#components/chat/models/model-picker';
import { chooseText, getChosen, useChosen } from '#components/editor/chosen';
import { useDeskRequest } from '#components/desk/desk-requests';
import { IconButton } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { isApplePlatform, isComposing } from '#components/ui/keys';
import { reportFailure } from '#components/ui/toasts';
import { reportUnsent } from '#components/chat/session/session-queue';
import { attachmentStrings, composerStrings } from '#components/chat/session/words';

const ChosenChips = fetchedLater(async () => (await import('#components/editor/chosen-chips')).ChosenChips);

interface ComposerProps {
  /** Remembers an unsent text while another conversation is on screen. */
  readonly draftKey: string;
  /** A turn runs: what is sent now waits. */
  readonly isBusy: boolean;
  /** The turn is being stopped. */
  readonly isStopping?: boolean;
  /** Absent where nothing can run. */
  readonly onStop?: () => void;
  /** The conversation that the message's files go to. @param title for one that is made for them */
  readonly sessionFor: (title: string) => Promise<string>;
  /** Rejects when the message was not taken; it is then put back. */
  readonly onSend: (text: string, files: readonly ChatFile[]) => Promise<void>;
  /** The files could not be given to that conversation; all stays as it was written. */
  readonly onNotSent?: () => void;
  /** Controls in the bottom row: model, context. */
  readonly children?: ReactNode;
}

/**
 * Focuses a field if there is a mouse and therefore a keyboard; on a phone, the on-screen keyboard would cover half of
 * the page.
 */
function focusByPointer(field: HTMLElement | null): void {
  if (window.matchMedia('(pointer: fine)').matches) field?.focus();
}

function hintOf({ isBusy, isStopping }: ComposerProps, isUploading: boolean): string {
  if (isUploading) return attachmentStrings.sending;
  if (isStopping) return composerStrings.stopping;
  return isBusy ? composerStrings.hintBusy : composerStrings.hint;
}

/** Message field. Enter sends, Shift+Enter starts a new line, Escape stops the running turn. */
export function Composer(props: ComposerProps) {
  const { draftKey, isBusy, isStopping = false, onStop, sessionFor, onSend, onNotSent, children } = props;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSyncExternalStore(
    subscribeToDrafts,
    () => draftAt(draftKey),
    () => '',
  );
  const attached = useDraftFiles(draftKey);
  const chosen = useChosen();
  const isEmpty = text.trim() === '' && attached.files.length === 0;
  const { sessionId, run } = useCommands();
  const modelWithoutVision = useModelWithoutVision(sessionId);
  const slash = useSlashMenu({ sessionId, run, text, setText: (next) => writeDraft(draftKey, next) });

  const keepTyped = useEffectEvent(() => {
    const typed = field.current?.value ?? '';
    if (text === '' && typed !== '' && typed !== draftAt(draftKey)) returnToDraft(draftKey, typed);
  });
  // Before anything is drawn anew: words that were typed before the page's scripts ran would go with that.
  useLayoutEffect(() => keepTyped(), []);

  useEffect(() => {
    // Who writes somewhere else already, before the page's scripts have come for instance, goes on there.
    if (document.activeElement?.matches('input, textarea') !== true) focusByPointer(field.current);
  }, []);

  const focusShown = () => {
    // Where it is not on screen, somebody else has to show it first.
    if (!field.current?.checkVisibility()) return false;
    field.current.focus();
    return true;
  };
  useDeskRequest('focus-composer', focusShown);
  useDeskRequest('refocus-composer', focusShown);

  const submit = async () => {
    if (isEmpty || attached.isUploading) return;
    const sent = text.trim();
    if (slash.onSubmit(sent)) return;
    const words = getChosen()?.text ?? null;
    const letGoOfText = () => {
      // A section is meant until another is; selected words went with this message alone.
      if (words !== null && getChosen()?.text === words) chooseText(null);
    };
    // Now: by the time that it is sent, the user may be somewhere else.
    field.current?.focus();
    await sendDraft(draftKey, sent, { sessionFor, onSend, onNotSent }).then(letGoOfText, reportUnsent);
  };

  const onPaste = (event: ClipboardEvent) => {
    const { files, types } = event.clipboardData;
    // A copied cell or paragraph comes as text and as its picture: the text is meant.
    if (files.length === 0 || types.includes('text/plain')) return;
    event.preventDefault();
    attached.add([...files]);
  };

  const stop = () => {
    focusByPointer(field.current);
    onStop?.();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (slash.onKeyDown(event)) return event.preventDefault();
    if (text === '' && isShortcut(event.nativeEvent, 'edit-last', isApplePlatform())) {
      if (sessionId === null) return;
      event.preventDefault();
      void chatSession(sessionId).newest.edit().catch(reportFailure);
      return;
    }
    if (event.key === 'Escape' && isBusy) stop();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    void submit();
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      className="relative rounded-xl border border-rule-strong bg-sheet shadow-sheet transition-colors focus-within:border-accent"
    >
      {slash.list && <SlashList {...slash.list} side={sessionId === null ? 'below' : 'above'} />}
      {chosen && <ChosenChips chosen={chosen} />}
      <AttachmentChips draft={attached} modelWithoutVision={modelWithoutVision} />
      <label htmlFor={id} className="sr-only">
        {composerStrings.label}
      </label>
      <textarea
        ref={field}
        id={id}
        rows={1}
        value={text}
        placeholder={isBusy ? composerStrings.placeholderBusy : composerStrings.placeholder}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          writeDraft(draftKey, event.target.value);
          // By the time it is sent there is what reads and draws the answer.
          Promise.all([fetchEngine(), loadTranscript()]).catch(() => undefined);
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        readOnly={attached.isUploading}
        {...slash.fieldProps}
        className="field-sizing-content block max-h-52 min-h-12 w-full resize-none bg-transparent px-4 pt-3 pb-1 text-base outline-none placeholder:text-ink-3"
      />
      <div className="flex items-center gap-1 px-2 pb-2">
        <AttachButton disabled={attached.isUploading} onFiles={attached.add} />
        <span id={`${id}-hint`} className="hidden flex-1 truncate px-2 text-xs text-ink-3 @xl:block">
          {hintOf(props, attached.isUploading)}
        </span>
        <div className="ml-auto flex items-center gap-1">
          {children}
          {isBusy && onStop && (
            <IconButton
              label={isStopping ? composerStrings.stopping : composerStrings.stop}
              icon={<Square aria-hidden className="fill-current" />}
              aria-disabled={isStopping}
              onClick={stop}
              className="ml-1 border border-rule-strong aria-disabled:animate-breathe [&_svg]:size-3!"
            />
          )}
          <button
            type="submit"
            aria-label={isBusy ? composerStrings.queue : composerStrings.send}
            disabled={isEmpty || attached.isUploading}
            className="ml-1 inline-flex size-8 items-center justify-center rounded-lg bg-accent text-accent-ink transition-colors hover:bg-accent-strong disabled:bg-rule disabled:text-ink-3 [&_svg]:size-4"
          >
            {isBusy ? <ListPlus aria-hidden /> : <ArrowUp aria-hidden strokeWidth={2.25} />}
          </button>
        </div>
      </div>
    </form>
  );
}
