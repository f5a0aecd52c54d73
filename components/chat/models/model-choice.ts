import { modelName } from '#components/chat/models/model-name.ts';
import { atom } from 'nanostores';
import { paths } from '#components/api/paths.ts';
import { useStore } from '#components/ui/hooks.ts';
import { updateSession, useSession } from '#components/chat/session-list/use-sessions.ts';
import { useApi } from '#components/api/use-api.ts';
import type { ModelList } from '#server/core/admin/settings-report';

/** Key in the browser's local storage. */
const STORAGE_KEY = 'throughline-model';
/** The last model that was chosen in this browser. */
const lastChosen = atom(typeof window === 'undefined' ? null : localStorage.getItem(STORAGE_KEY));

/**
 * Sets the model of a conversation, and the default for new conversations in this browser. Rejects with ApiError.
 * @param sessionId null for a new conversation
 */
export async function chooseModel(sessionId: string | null, modelId: string): Promise<void> {
  localStorage.setItem(STORAGE_KEY, modelId);
  lastChosen.set(modelId);
  if (sessionId !== null) await updateSession(sessionId, { modelId });
}

/**
 * The model of a conversation, or the default if its model is no longer offered; for a new one (null), the last one
 * chosen in this browser. Undefined means the server's choice: no model was chosen, the chosen one is no longer
 * offered, or the conversation is not loaded yet. Until the list of models is loaded, every model counts as offered.
 */
export function useModelChoice(sessionId: string | null): string | undefined {
  const { data: models } = useApi(paths.models);
  const session = useSession(sessionId);
  const chosenId = useStore(lastChosen, null);
  if (sessionId === null) return modelToUse(chosenId, models);
  return session?.modelId ? (modelToUse(session.modelId, models) ?? models?.defaultModelId) : undefined;
}

/** The model of the next answer; undefined while loading. */
export function useNextModel(sessionId: string | null): ModelList['items'][number] | undefined {
  const { data: models } = useApi(paths.models);
  const modelId = useModelChoice(sessionId);
  return models?.items.find(({ id }) => id === (modelId ?? models.defaultModelId));
}

/** The chosen model, unless it is known not to be offered. */
export function modelToUse(chosenId: string | null, models: ModelList | undefined): string | undefined {
  const isOffered = models === undefined || models.items.some(({ id }) => id === chosenId);
  return chosenId !== null && isOffered ? chosenId : undefined;
}

/** Name of the next message's model if it accepts no images; null if it accepts them or the models are not loaded. */
export function useModelWithoutVision(sessionId: string | null): string | null {
  const model = useNextModel(sessionId);
  return model && !model.acceptsImages ? modelName(model) : null;
}
