import { useSyncExternalStore } from 'react';
import useSWR from 'swr';
import { paths } from '#lib/api-client';
import type { ModelList } from '#lib/api-client';

const KEY = 'throughline-model';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function choose(modelId: string): void {
  localStorage.setItem(KEY, modelId);
  for (const listener of listeners) listener();
}

/**
 * The model the user picked in this browser, and how to pick another. Undefined is the server's default: nothing
 * was picked, or what was picked is not offered any more.
 */
export function useModelChoice(): readonly [string | undefined, (modelId: string) => void] {
  const { data: models } = useSWR<ModelList>(paths.models);
  const picked = useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(KEY),
    () => null,
  );
  return [models?.items.find(({ id }) => id === picked)?.id, choose];
}
