import { useSyncExternalStore } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
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
