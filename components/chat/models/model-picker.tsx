'use client';

import { ChevronDown } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { inYourWords } from '#components/served-words';
import { fetchedLater } from '#components/ui/fetched-later';
import { Popover } from '#components/ui/menus';
import { LoadingBlock } from '#components/ui/notices';
import { composerStrings, modelStrings } from '#components/chat/session/words';
import type { ModelList } from '#server/core/settings-report';

const KEY = 'throughline-model';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Picks the model of the next messages in this browser. */
export function chooseModel(modelId: string): void {
  localStorage.setItem(KEY, modelId);
  for (const listener of listeners) listener();
}

/**
 * The model picked in this browser, and `chooseModel`. Undefined means the server's default: no model was picked, or the
 * picked model is not offered any more. Until the list of models is loaded, the picked model counts as offered.
 */
export function useModelChoice(): readonly [string | undefined, (modelId: string) => void] {
  const { data: models } = useSWR<ModelList>(paths.models);
  const picked = useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(KEY),
    () => null,
  );
  return [modelToUse(picked, models), chooseModel];
}

/** The picked model, unless it is known not to be offered. */
export function modelToUse(picked: string | null, models: ModelList | undefined): string | undefined {
  const isOffered = models === undefined || models.items.some(({ id }) => id === picked);
  return picked !== null && isOffered ? picked : undefined;
}

/** Name of the next message's model if it accepts no images; null if it accepts them or the models are not loaded. */
export function useModelWithoutVision(): string | null {
  const { data: models } = useSWR<ModelList>(paths.models);
  const [modelId] = useModelChoice();
  const model = models?.items.find(({ id }) => id === (modelId ?? models.defaultModelId));
  return model && !model.acceptsImages ? model.name : null;
}

const ModelChoices = fetchedLater(
  async () => (await import('#components/chat/models/model-choices')).ModelChoices,
  <LoadingBlock />,
);

interface ModelPickerProps {
  /** Null: a conversation to come. */
  readonly sessionId: string | null;
  /** Undefined: the server's default. */
  readonly modelId: string | undefined;
  readonly onChange: (modelId: string) => void;
}

/** Chooses the model for the next message; absent while there is only one. */
export function ModelPicker({ sessionId, modelId, onChange }: ModelPickerProps) {
  const { data: models } = useSWR<ModelList>(paths.models);
  const [isOpen, setIsOpen] = useState(false);
  if (!models || models.items.length < 2) return null;
  const current = models.items.find(({ id }) => id === (modelId ?? models.defaultModelId));
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
          onChange(chosen);
          setIsOpen(false);
        }}
      />
    </Popover>
  );
}
