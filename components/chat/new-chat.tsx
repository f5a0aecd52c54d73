'use client';

import { ArrowUpRight } from 'lucide-react';
import { useState } from 'react';
import { Composer } from '#components/chat/composer';
import { ModelPicker } from '#components/chat/model-picker';
import { api } from '#lib/api-client';
import { newChatSession } from '#lib/chat-sessions';
import { replacePath, sessionPath } from '#lib/navigation';
import { strings } from '#lib/strings';
import { titleFrom } from '#lib/session-title';
import { useModelChoice } from '#lib/use-model-choice';

/**
 * The empty desk. The first message creates the session and starts streaming into it before the address changes,
 * so nothing is lost on the way. Rejects when the session could not be created.
 */
async function startConversation(text: string, modelId: string | undefined): Promise<void> {
  const created = await api.createSession({ title: titleFrom(text), ...(modelId === undefined ? {} : { modelId }) });
  void newChatSession(created).send(text, modelId);
  replacePath(sessionPath(created.id));
}

/** Where a conversation begins. */
export function NewChat() {
  const [modelId, chooseModel] = useModelChoice();
  const [isStarting, setIsStarting] = useState(false);

  const start = async (text: string) => {
    if (isStarting) return;
    setIsStarting(true);
    try {
      await startConversation(text, modelId);
    } finally {
      setIsStarting(false);
    }
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col justify-center overflow-y-auto">
      <div className="@container mx-auto w-full max-w-[44rem] px-5 py-10 sm:px-8">
        <h1 className="font-serif text-3xl font-normal tracking-[-0.015em]">{strings.start.title}</h1>
        <p className="mt-3 mb-7 max-w-[34rem] font-serif text-lg text-ink-2">{strings.start.body}</p>
        <Composer draftKey="new" isBusy={false} onSend={start}>
          <ModelPicker modelId={modelId} onChange={chooseModel} />
        </Composer>
        <h2 className="mt-8 mb-1 text-xs text-ink-3">{strings.start.suggestionsLabel}</h2>
        <ul className="divide-y divide-rule">
          {strings.start.suggestions.map((suggestion) => (
            <li key={suggestion}>
              <button
                type="button"
                disabled={isStarting}
                onClick={() => void start(suggestion).catch(() => undefined)}
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
