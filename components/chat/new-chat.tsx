'use client';

import clsx from 'clsx';
import dynamic from 'next/dynamic';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { api } from '#components/api/api-client.ts';
import type { ChatFile } from '#components/api/chat-message.ts';
import { BasicAssistantStrip, useBasicAssistant } from '#components/chat/transcript/basic-assistant';
import { ExampleRequests } from '#components/chat/transcript/example-requests';
import { UserNote } from '#components/chat/transcript/message-block';
import { loadCode } from '#components/ui/load-code';
import { useDraftFiles } from '#components/chat/composer/use-draft-files.ts';
import { BudgetStrip } from '#components/chat/composer/budget-strip';
import { Composer } from '#components/chat/composer/composer';
import { useModelChoice } from '#components/chat/models/model-choice.ts';
import { ModelPicker } from '#components/chat/models/model-picker';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { newChatSession } from '#components/chat/session/chat-sessions.ts';
import { isSendingFiles, moveDraftFiles } from '#components/chat/composer/draft-files.ts';
import {
  draftAt,
  keepSent,
  moveDraft,
  NEW_DRAFT,
  returnToDraft,
  settleSent,
  writeDraft,
} from '#components/chat/session/drafts.ts';
import { userWords } from '#components/chat/parts/message-blocks.ts';
import { titleFrom } from '#components/chat/session-list/use-sessions.ts';
import { HOME_PATH, replacePath, sessionPath } from '#components/workspace/navigation.ts';
import { useEntries } from '#components/workspace/entries.ts';
import { useHasBeen } from '#components/ui/hooks.ts';
import { useWorkspaceActions } from '#components/workspace/workspace-actions.ts';
import { ToastPlace } from '#components/ui/dialogs/toasts';
import { reportUnsent } from '#components/chat/composer/report-send-failure.ts';
import { suggestions } from '#components/chat/text/example-requests.ts';
import type { Session } from '#server/core/conversation/sessions';

const StartSite = dynamic(() => loadCode(async () => (await import('#components/site/start-site')).StartSite), {
  ssr: false,
});

const tBasicAssistant = translator('basicAssistant');
const tTranscript = translator('transcript');
const t = translator('start');

/** A message written on the empty workspace. */
interface Written {
  /** Key of the text among those that are being sent. */
  readonly id: string;
  readonly text: string;
  readonly files: readonly ChatFile[];
}

/**
 * The empty workspace. The first message creates the session, unless its files already have, and starts streaming into
 * it before the address changes, so that nothing is lost. Rejects if the session could not be created.
 */
async function startConversation(
  { id, text, files }: Written,
  modelId: string | undefined,
  existing: Session | null,
  isLeft: () => boolean,
): Promise<ChatSession> {
  const created = existing ?? (await createSession(text, modelId));
  const session = newChatSession(created);
  void session.outbox.send(text, modelId, files);
  settleSent(NEW_DRAFT, id);
  // If the user has opened another conversation by now, it stays open, even if they start a new one there.
  if (isLeft()) {
    void session.leave();
    return session;
  }
  moveDraft(NEW_DRAFT, created.id);
  moveDraftFiles(NEW_DRAFT, created.id);
  if (window.location.pathname === HOME_PATH) replacePath(sessionPath(created.id));
  return session;
}

function createSession(firstWords: string, modelId: string | undefined): Promise<Session> {
  return api.createSession({ title: titleFrom(firstWords), ...(modelId === undefined ? {} : { modelId }) });
}

/** Sends what was written while the session was being created. The empty workspace cannot be restored by then. */
async function sendAfterwards(
  session: ChatSession,
  { id, text, files }: Written,
  modelId: string | undefined,
): Promise<void> {
  try {
    const sent = session.outbox.send(text, modelId, files);
    settleSent(NEW_DRAFT, id);
    await sent;
  } catch (error) {
    // Text and files were moved to the session before the upload, and `sendDraft` restores them there.
    if (files.length > 0) throw error;
    returnToDraft(session.id, text);
    reportUnsent(error);
  }
}

/** Empty workspace with the field for a new conversation. */
export function NewChat() {
  const { focusComposer } = useWorkspaceActions();
  const modelId = useModelChoice(null);
  const isBasic = useBasicAssistant(null);
  const { entries, isWhole } = useEntries();
  // Stays true while its first pages are made.
  const wasEmpty = useHasBeen(isWhole && entries?.length === 0);
  /** Messages that wait for the conversation to be created; the first one begins it. */
  const [starting, setStarting] = useState<readonly Written[]>([]);
  const isStarting = starting.length > 0;
  // A ref, because a second message in the same tick would still see the old state.
  const conversation = useRef<Promise<ChatSession> | null>(null);

  /** A session created for files before the first message; not announced to others yet. */
  const prepared = useRef<Session | null>(null);
  const isLeft = useRef(false);
  const { isUploading } = useDraftFiles(NEW_DRAFT);

  const deletePrepared = () => {
    if (prepared.current) void api.deleteSession(prepared.current.id).catch(() => undefined);
    prepared.current = null;
  };
  const leave = useEffectEvent(() => {
    isLeft.current = true;
    // Files that are still uploading need it.
    if (!isSendingFiles(NEW_DRAFT)) deletePrepared();
  });
  useEffect(() => {
    isLeft.current = false;
    return () => leave();
  }, []);

  const sessionFor = async (title: string): Promise<string> => {
    if (conversation.current) return (await conversation.current).id;
    const text = draftAt(NEW_DRAFT).trim();
    prepared.current ??= await createSession(text === '' ? title : text, modelId);
    return prepared.current.id;
  };

  const start = async (written: Written) => {
    const existing = prepared.current;
    prepared.current = null;
    conversation.current = startConversation(written, modelId, existing, () => isLeft.current);
    try {
      await conversation.current;
    } catch (error) {
      conversation.current = null;
      throw error;
    }
  };

  const send = async (text: string, files: readonly ChatFile[]) => {
    const written = { id: crypto.randomUUID(), text, files };
    // Keeps the text until a session has it, because the page may be left before that.
    if (text !== '') keepSent(NEW_DRAFT, { id: written.id, text, after: '' });
    setStarting((before) => [...before, written]);
    try {
      await sendWritten(written);
    } catch (error) {
      setStarting((before) => before.filter(({ id }) => id !== written.id));
      throw error;
    } finally {
      settleSent(NEW_DRAFT, written.id);
    }
  };

  const sendWritten = async (written: Written) => {
    if (conversation.current === null) return start(written);
    // Sent as soon as the conversation exists: the outbox keeps the order, also of what is written in the conversation.
    await sendAfterwards(await conversation.current, written, modelId);
  };

  /** Puts a suggestion into the field, where it can be changed; it takes the place of another one, not of own words. */
  const choose = (suggestion: string) => {
    const written = draftAt(NEW_DRAFT).trim();
    if (written === '' || suggestions().includes(written)) writeDraft(NEW_DRAFT, suggestion);
    else returnToDraft(NEW_DRAFT, suggestion);
    focusComposer();
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col justify-center-safe overflow-y-auto">
      {isStarting && <Starting messages={starting} />}
      <div
        className={clsx(
          '@container mx-auto w-full max-w-[44rem]',
          isStarting ? 'px-3 pb-4 sm:px-6' : 'px-5 py-10 sm:px-8',
        )}
      >
        {!isStarting && (
          <>
            <h1 className="font-serif text-3xl font-normal tracking-[-0.015em]">{t('title')}</h1>
            <p className="mt-3 mb-7 max-w-[34rem] font-serif text-lg text-ink-2">{t('body')}</p>
            {isBasic && <BasicAssistantStrip />}
          </>
        )}
        <ToastPlace />
        <BudgetStrip sessionId={null} isRunning={false} />
        <Composer
          draftKey={NEW_DRAFT}
          isBusy={false}
          sessionFor={sessionFor}
          onSend={send}
          onNotSent={() => isLeft.current && deletePrepared()}
        >
          <ModelPicker sessionId={null} />
        </Composer>
        {wasEmpty && !isStarting && <StartSite onBrief={isBasic ? undefined : choose} />}
        {!isStarting && (
          <div className="mt-8">
            <ExampleRequests
              isBasic={isBasic}
              label={isBasic ? tBasicAssistant('understands') : t('suggestionsLabel')}
              isDisabled={isUploading}
              onChoose={choose}
            />
          </div>
        )}
      </div>
    </div>
  );
}

/** The user's messages while their conversation is being created, at the place where the conversation shows them. */
function Starting({ messages }: { readonly messages: readonly Written[] }) {
  return (
    <div
      role="log"
      aria-live="off"
      aria-label={tTranscript('label')}
      aria-busy
      className="mx-auto flex w-full max-w-[44rem] flex-1 flex-col gap-9 px-5 pt-8 pb-9 sm:px-8"
    >
      {messages.map(({ id, text, files }) => (
        <article key={id} data-role="user" aria-label={tTranscript('you')} className="flex flex-col gap-4">
          <UserNote {...userWords([...files, { type: 'text', text }], undefined)} />
        </article>
      ))}
    </div>
  );
}
