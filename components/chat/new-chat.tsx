'use client';

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { api } from '#components/api/api-client';
import type { ChatFile } from '#components/api/chat-message';
import { BasicAssistantStrip, Sentences, useBasicAssistant } from '#components/chat/transcript/basic-assistant';
import { useDraftFiles } from '#components/chat/composer/attachments';
import { BudgetStrip } from '#components/chat/composer/budget-strip';
import { Composer } from '#components/chat/composer/composer';
import { Transcript } from '#components/chat/transcript/fetched-transcript';
import { ModelPicker, useModelChoice } from '#components/chat/models/model-picker';
import type { ChatSession } from '#components/chat/session/chat-session';
import { newChatSession } from '#components/chat/session/chat-sessions';
import { isSendingFiles, moveDraftFiles } from '#components/chat/session/draft-files';
import { draftAt, keepSent, moveDraft, NEW_DRAFT, returnToDraft, settleSent } from '#components/chat/session/drafts';
import { titleFrom } from '#components/chat/session/use-sessions';
import { HOME_PATH, replacePath, sessionPath } from '#components/desk/navigation';
import { ToastPlace } from '#components/ui/toasts';
import { reportUnsent } from '#components/chat/session/session-queue';
import { basicAssistantStrings, startStrings } from '#components/chat/session/words';
import type { Session } from '#server/core/sessions';

/** A message as it is written here. */
interface Written {
  /** Key of the text among those on their way. */
  readonly id: string;
  readonly text: string;
  readonly files: readonly ChatFile[];
}

/**
 * The empty desk. The first message creates the session, if its files have not, and starts streaming into it before the
 * address changes, so nothing is lost on the way. Rejects when the session could not be created.
 */
async function startConversation(
  { id, text, files }: Written,
  modelId: string | undefined,
  existing: Session | null,
  isLeft: () => boolean,
): Promise<ChatSession> {
  const created = existing ?? (await createSession(text, modelId));
  const session = newChatSession(created);
  void session.send(text, modelId, files);
  settleSent(NEW_DRAFT, id);
  // Whoever went on to another conversation meanwhile stays there, also where they begin a new one.
  if (isLeft()) return session;
  moveDraft(NEW_DRAFT, created.id);
  moveDraftFiles(NEW_DRAFT, created.id);
  if (window.location.pathname === HOME_PATH) replacePath(sessionPath(created.id));
  return session;
}

function createSession(firstWords: string, modelId: string | undefined): Promise<Session> {
  return api.createSession({ title: titleFrom(firstWords), ...(modelId === undefined ? {} : { modelId }) });
}

/** Sends what was written while the session was being created. There is no way back to the empty desk by now. */
async function sendAfterwards(
  session: ChatSession,
  { id, text, files }: Written,
  modelId: string | undefined,
): Promise<void> {
  try {
    const sent = session.send(text, modelId, files);
    settleSent(NEW_DRAFT, id);
    await sent;
  } catch (error) {
    // Both were taken along before the files were with the server, and are put back there.
    if (files.length > 0) throw error;
    returnToDraft(session.id, text);
    reportUnsent(error);
  }
}

/** Fetches what draws a message: one may be chosen in a moment. */
function prepare(): void {
  void Transcript.fetch().catch(() => undefined);
}

/** Empty desk with the field for a new conversation. */
export function NewChat() {
  const modelId = useModelChoice(null);
  const isBasic = useBasicAssistant(null);
  const [isStarting, setIsStarting] = useState(false);
  // Settles when everything written so far is sent. A ref: a second click within a tick would still see the old state.
  const conversation = useRef<Promise<ChatSession> | null>(null);

  /** Made for files, before there is a message; nobody else knows of it. */
  const readied = useRef<Session | null>(null);
  const isLeft = useRef(false);
  const { isUploading } = useDraftFiles(NEW_DRAFT);

  const forgetReadied = () => {
    if (readied.current) void api.deleteSession(readied.current.id).catch(() => undefined);
    readied.current = null;
  };
  const leave = useEffectEvent(() => {
    isLeft.current = true;
    // What is on its way still needs it.
    if (!isSendingFiles(NEW_DRAFT)) forgetReadied();
  });
  useEffect(() => {
    isLeft.current = false;
    return () => leave();
  }, []);

  const sessionFor = async (title: string): Promise<string> => {
    if (conversation.current) return (await conversation.current).id;
    const text = draftAt(NEW_DRAFT).trim();
    readied.current ??= await createSession(text === '' ? title : text, modelId);
    return readied.current.id;
  };

  const start = async (written: Written) => {
    setIsStarting(true);
    const existing = readied.current;
    readied.current = null;
    conversation.current = startConversation(written, modelId, existing, () => isLeft.current);
    try {
      await conversation.current;
    } catch (error) {
      conversation.current = null;
      setIsStarting(false);
      throw error;
    }
  };

  const send = async (text: string, files: readonly ChatFile[]) => {
    const written = { id: crypto.randomUUID(), text, files };
    // Until a session has it: this page may be left before there is one.
    if (text !== '') keepSent(NEW_DRAFT, { id: written.id, text, after: '' });
    try {
      await sendWritten(written);
    } finally {
      settleSent(NEW_DRAFT, written.id);
    }
  };

  const sendWritten = async (written: Written) => {
    if (conversation.current === null) return start(written);
    const begun = conversation.current;
    const sent = begun.then((session) => sendAfterwards(session, written, modelId));
    conversation.current = sent.then(
      () => begun,
      () => begun,
    );
    // Both, so that neither is refused unheard.
    await Promise.all([sent, conversation.current]);
  };

  const choose = (suggestion: string) => {
    if (conversation.current === null) start({ id: suggestion, text: suggestion, files: [] }).catch(reportUnsent);
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col justify-center overflow-y-auto">
      <div className="@container mx-auto w-full max-w-[44rem] px-5 py-10 sm:px-8">
        <h1 className="font-serif text-3xl font-normal tracking-[-0.015em]">{startStrings.title}</h1>
        <p className="mt-3 mb-7 max-w-[34rem] font-serif text-lg text-ink-2">{startStrings.body}</p>
        {isBasic && <BasicAssistantStrip />}
        <ToastPlace />
        <BudgetStrip sessionId={null} isRunning={false} />
        <Composer
          draftKey={NEW_DRAFT}
          isBusy={false}
          sessionFor={sessionFor}
          onSend={send}
          onNotSent={() => isLeft.current && forgetReadied()}
        >
          <ModelPicker sessionId={null} />
        </Composer>
        <div className="mt-8" onPointerOver={prepare} onFocus={prepare}>
          <Sentences
            isBasic={isBasic}
            label={isBasic ? basicAssistantStrings.understands : startStrings.suggestionsLabel}
            isDisabled={isStarting || isUploading}
            onChoose={choose}
          />
        </div>
      </div>
    </div>
  );
}
