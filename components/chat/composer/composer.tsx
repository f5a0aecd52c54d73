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
import { translator } from '#components/i18n.ts';
import type { ChatFile } from '#components/api/chat-message.ts';
import { useCommands } from '#components/chat/commands/commands-context.ts';
import { isShortcut } from '#components/chat/commands/shortcuts.ts';
import { useSlashMenu } from '#components/chat/commands/use-slash-menu.ts';
import { SlashList } from '#components/chat/commands/slash-list';
import { useDraftFiles } from '#components/chat/composer/use-draft-files.ts';
import { AttachButton, AttachmentChips } from '#components/chat/composer/attachments';
import { chatSession } from '#components/chat/session/chat-sessions.ts';
import { sendDraft } from '#components/chat/composer/draft-files.ts';
import { draftAt, returnToDraft, subscribeToDrafts, writeDraft } from '#components/chat/session/drafts.ts';
import { useModelWithoutVision } from '#components/chat/models/model-choice.ts';
import { chooseText, getChosen, useChosen } from '#components/editor/model/selection.ts';
import { IconButton } from '#components/ui/buttons';
import { SelectionChips } from '#components/editor/page/selection-chips';
import { isApplePlatform, isComposing } from '#components/ui/keys.ts';
import { reportUnsent } from '#components/chat/composer/report-send-failure.ts';

const tComposer = translator('composer');
const t = translator('attachment');

interface ComposerProps {
  /** Key under which the unsent text is stored while another conversation is open. */
  readonly draftKey: string;
  /** True while a turn runs; new messages are queued then. */
  readonly isBusy: boolean;
  /** The turn is being stopped. */
  readonly isStopping?: boolean;
  /** Absent if nothing can run. */
  readonly onStop?: () => void;
  /** Returns the conversation to upload the message's files to. @param title for a newly created one */
  readonly sessionFor: (title: string) => Promise<string>;
  /** Rejects if the message was not accepted; its text then returns to the field. */
  readonly onSend: (text: string, files: readonly ChatFile[]) => Promise<void>;
  /** Called if the files could not be uploaded; text and files stay in the field. */
  readonly onNotSent?: () => void;
  /** Controls in the bottom row: model, context. */
  readonly children?: ReactNode;
}

/**
 * Focuses a field if the device has a mouse and therefore a keyboard; on a phone, the on-screen keyboard would cover
 * half of the page.
 */
function focusByPointer(field: HTMLElement | null): void {
  if (hasMouse()) field?.focus();
}

/** False on a phone or tablet, whose on-screen keyboard has no Shift+Enter. */
function hasMouse(): boolean {
  return window.matchMedia('(pointer: fine)').matches;
}

function hintOf({ isBusy, isStopping }: ComposerProps, isUploading: boolean): string {
  if (isUploading) return t('sending');
  if (isStopping) return tComposer('stopping');
  return isBusy ? tComposer('hintBusy') : tComposer('hint');
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
  // In a layout effect: text typed before hydration would be lost by the next render.
  useLayoutEffect(() => keepTyped(), []);

  useEffect(() => {
    // If the user is already typing in another field, for example since before hydration, the focus stays there.
    if (document.activeElement?.matches('input, textarea') !== true) focusByPointer(field.current);
  }, []);

  const submit = async () => {
    if (isEmpty || attached.isUploading) return;
    const sent = text.trim();
    if (slash.onSubmit(sent)) return;
    const words = getChosen()?.text ?? null;
    const letGoOfText = () => {
      // A chosen section stays chosen; selected text belongs to this message only.
      if (words !== null && getChosen()?.text === words) chooseText(null);
    };
    // Focuses before sending: when sending ends, the user may be elsewhere.
    field.current?.focus();
    await sendDraft(draftKey, sent, { sessionFor, onSend, onNotSent }).then(letGoOfText, reportUnsent);
  };

  const onPaste = (event: ClipboardEvent) => {
    const { files, types } = event.clipboardData;
    // A copied cell or paragraph arrives as text and as its picture; the text is used.
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
      chatSession(sessionId).newestRequest.edit();
      return;
    }
    if (event.key === 'Escape' && isBusy) stop();
    if (event.key !== 'Enter' || event.shiftKey) return;
    // On a phone, Enter begins a new line and the button sends.
    if (!hasMouse() && !event.ctrlKey && !event.metaKey) return;
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
      {chosen && <SelectionChips chosen={chosen} />}
      <AttachmentChips draft={attached} modelWithoutVision={modelWithoutVision} />
      <label htmlFor={id} className="sr-only">
        {tComposer('label')}
      </label>
      <textarea
        ref={field}
        id={id}
        data-composer=""
        rows={1}
        value={text}
        placeholder={isBusy ? tComposer('placeholderBusy') : tComposer('placeholder')}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          writeDraft(draftKey, event.target.value);
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
              label={isStopping ? tComposer('stopping') : tComposer('stop')}
              icon={<Square aria-hidden className="fill-current" />}
              aria-disabled={isStopping}
              onClick={stop}
              className="ml-1 border border-rule-strong aria-disabled:animate-breathe [&_svg]:size-3!"
            />
          )}
          <button
            type="submit"
            aria-label={isBusy ? tComposer('queue') : tComposer('send')}
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
