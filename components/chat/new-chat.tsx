'use client';

import { ArrowUpRight } from 'lucide-react';
import { useRef, useState } from 'react';
import { Composer } from '#components/chat/composer';
import { ModelPicker } from '#components/chat/model-picker';
import { api } from '#lib/api-client';
import type { ChatSession } from '#lib/chat-session';
import { newChatSession } from '#lib/chat-sessions';
import { moveDraft, returnToDraft } from '#lib/drafts';
import { replacePath, sessionPath } from '#lib/navigation';
import { reportUnsent } from '#lib/report-failure';
import { strings } from '#lib/strings';
import { titleFrom } from '#lib/session-title';
import { useModelChoice } from '#lib/use-model-choice';

const DRAFT_KEY = 'new';

/**
 * The empty desk. The first message creates the session and starts streaming into it before the address changes,
 * so nothing is lost on the way. Rejects when the session could not be created.
 */
async function startConversation(text: string, modelId: string | undefined): Promise<ChatSession> {
  const created = await api.createSession({ title: titleFrom(text), ...(modelId === undefined ? {} : { modelId }) });
  const session = newChatSession(created);
  void session.send(text, modelId);
  moveDraft(DRAFT_KEY, created.id);
  replacePath(sessionPath(created.id));
  return session;
}

/** Sends what was written while the session was being created. There is no way back to the empty desk by now. */
async function sendAfterwards(session: ChatSession, text: string, modelId: string | undefined): Promise<ChatSession> {
  try {
    await session.send(text, modelId);
  } catch (error) {
    returnToDraft(session.id, text);
    reportUnsent(error);
  }
  return session;
}

/** Where a conversation begins. */
export function NewChat() {
  const [modelId, chooseModel] = useModelChoice();
  const [isStarting, setIsStarting] = useState(false);
  // Settles when everything written so far is sent. A ref: a second click within a tick would still see the old state.
  const conversation = useRef<Promise<ChatSession> | null>(null);

  const start = async (text: string) => {
    setIsStarting(true);
    conversation.current = startConversation(text, modelId);
    try {
      await conversation.current;
    } catch (error) {
      conversation.current = null;
      setIsStarting(false);
      throw error;
    }
  };

  const send = async (text: string) => {
    if (conversation.current === null) return start(text);
    conversation.current = conversation.current.then((session) => sendAfterwards(session, text, modelId));
    await conversation.current;
  };

  const choose = (suggestion: string) => {
    if (conversation.current === null) start(suggestion).catch(reportUnsent);
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col justify-center overflow-y-auto">
      <div className="@container mx-auto w-full max-w-[44rem] px-5 py-10 sm:px-8">
        <h1 className="font-serif text-3xl font-normal tracking-[-0.015em]">{strings.start.title}</h1>
        <p className="mt-3 mb-7 max-w-[34rem] font-serif text-lg text-ink-2">{strings.start.body}</p>
        <Composer draftKey={DRAFT_KEY} isBusy={false} onSend={send}>
          <ModelPicker modelId={modelId} onChange={chooseModel} />
        </Composer>
        <h2 className="mt-8 mb-1 text-xs text-ink-3">{strings.start.suggestionsLabel}</h2>
        <ul className="divide-y divide-rule">
          {strings.start.suggestions.map((suggestion) => (
            <li key={suggestion}>
              <button
                type="button"
                disabled={isStarting}
                onClick={() => choose(suggestion)}
                className="group/suggestion flex w-full items-center gap-3 py-3 text-left text-base text-ink-2 transition-colors hover:text-ink"
              >
                <span className="flex-1">{suggestion}</span>
                <ArrowUpRight
                  aria-hidden
                  className="size-4 text-ink-3 transition-transform group-hover/suggestion:translate-x-0.5 group-hover/suggestion:-translate-y-0.5 group-hover/suggestion:text-accent"
                />
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
