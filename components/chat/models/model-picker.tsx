'use client';

import { ChevronDown } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { inYourWords } from '#components/served-words';
import { fetchedLater } from '#components/ui/fetched-later';
import { Popover } from '#components/ui/menus';
import { LoadingBlock } from '#components/ui/notices';
import { reportFailure } from '#components/ui/toasts';
import { composerStrings, modelStrings } from '#components/chat/session/words';
import { updateSession, useSession } from '#components/chat/session/use-sessions';
import type { ModelList } from '#server/core/settings-report';

const KEY = 'throughline-model';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Picks the model of a conversation, and of those that are begun in this browser from now on. Rejects with ApiError.
 * @param sessionId null: a conversation to come
 */
export async function chooseModel(sessionId: string | null, modelId: string): Promise<void> {
  localStorage.setItem(KEY, modelId);
  for (const listener of listeners) listener();
  if (sessionId !== null) await updateSession(sessionId, { modelId });
}

/**
 * The model of a conversation, or the default where it is not offered any more; of one to come (null), the last one
 * picked in this browser. Undefined means the server's choice: none was picked, the picked one is not offered any more, or
 * the conversation is not known yet. Until the list of models is loaded, every model counts as offered.
 */
export function useModelChoice(sessionId: string | null): string | undefined {
  const { data: models } = useSWR<ModelList>(paths.models);
  const session = useSession(sessionId);
  const picked = useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(KEY),
    () => null,
  );
  if (sessionId === null) return modelToUse(picked, models);
  return session?.modelId ? (modelToUse(session.modelId, models) ?? models?.defaultModelId) : undefined;
}

/** The model that answers next; undefined until it is known. */
export function useNextModel(sessionId: string | null): ModelList['items'][number] | undefined {
  const { data: models } = useSWR<ModelList>(paths.models);
  const modelId = useModelChoice(sessionId);
  return models?.items.find(({ id }) => id === (modelId ?? models.defaultModelId));
}

/** The picked model, unless it is known not to be offered. */
export function modelToUse(picked: string | null, models: ModelList | undefined): string | undefined {
  const isOffered = models === undefined || models.items.some(({ id }) => id === picked);
  return picked !== null && isOffered ? picked : undefined;
}

/** Name of the next message's model if it accepts no images; null if it accepts them or the models are not loaded. */
export function useModelWithoutVision(sessionId: string | null): string | null {
  const model = useNextModel(sessionId);
  return model && !model.acceptsImages ? model.name : null;
}

const ModelChoices = fetchedLater(
  async () => (await import('#components/chat/models/model-choices')).ModelChoices,
  <LoadingBlock />,
);

interface ModelPickerProps {
  /** Null: a conversation to come. */
  readonly sessionId: string | null;
}

/** Chooses the model for the next message; absent while there is only one. */
export function ModelPicker({ sessionId }: ModelPickerProps) {
  const { data: models } = useSWR<ModelList>(paths.models);
  const current = useNextModel(sessionId);
  const [isOpen, setIsOpen] = useState(false);
  if (!models || models.items.length < 2) return null;
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      trigger={
        <button
          type="button"
          aria-label={`${composerStrings.model}: ${inYourWords(current?.name ?? '')}`}
          className="flex h-8 max-w-44 items-center gap-1 rounded-md px-2 text-xs text-ink-2 hover:bg-ink/6"
        >
          <span className="truncate">{current ? inYourWords(current.name) : composerStrings.model}</span>
          <ChevronDown aria-hidden className="size-3 shrink-0" />
        </button>
      }
      align="end"
      aria-label={modelStrings.list}
      className="w-[min(26rem,calc(100vw-1.5rem))] overflow-hidden"
    >
      <ModelChoices
        sessionId={sessionId}
        fallback={models}
        value={current?.id ?? ''}
        onChoose={(chosen) => {
          chooseModel(sessionId, chosen).catch(reportFailure);
          setIsOpen(false);
        }}
      />
    </Popover>
  );
}
