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
 * The model the user picked in this browser, and how to pick another. Undefined is the server's default: nothing
 * was picked, or what was picked is not offered any more. What is said before that is known goes to what was picked.
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

/** The name of the model of the next message where it is told the names of images only; null where it sees them. */
export function useBlindModel(): string | null {
  const { data: models } = useSWR<ModelList>(paths.models);
  const [modelId] = useModelChoice();
  const model = models?.items.find(({ id }) => id === (modelId ?? models.defaultModelId));
  return model && !model.acceptsImages ? model.name : null;
}
