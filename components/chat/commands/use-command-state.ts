import { useTheme } from 'next-themes';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import useSWR, { mutate } from 'swr';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import type { CommandState } from '#components/chat/commands/commands.ts';
import { useModelChoice } from '#components/chat/models/model-choice.ts';
import { chatSession, useIsRunning } from '#components/chat/session/chat-sessions.ts';
import { useSessionTitle } from '#components/chat/session-list/use-sessions.ts';
import { useApi } from '#components/api/use-api.ts';

const never = () => () => undefined;

/** SWR key of the target of the next undo. */
export const undoableKey = (sessionId: string) => ['undoable', sessionId] as const;

/**
 * The state for commands.
 * @param isWanted true while commands are visible: only then the server is asked what an undo would do
 */
export function useCommandState(sessionId: string | null, isWanted = true): CommandState {
  const session = sessionId === null ? null : chatSession(sessionId);
  const isRunning = useIsRunning(session);
  const isCompacting = useSyncExternalStore(
    session?.subscribe ?? never,
    () => (session?.getState().compactingSince ?? null) !== null,
    () => false,
  );
  const { data: undoable } = useSWR(
    sessionId === null || !isWanted ? null : undoableKey(sessionId),
    ([, id]) => api.undoable(id),
    {
      dedupingInterval: 0,
    },
  );
  useEffect(() => {
    if (sessionId === null || !isWanted) return undefined;
    // The target may be different next time, so it is unknown until the server has answered.
    return () => void mutate(undoableKey(sessionId), undefined, { revalidate: true });
  }, [sessionId, isWanted]);
  const { data: models } = useApi(paths.models);
  const modelId = useModelChoice(sessionId);
  const { theme = 'system' } = useTheme();
  const title = useSessionTitle(sessionId);
  return useMemo(() => {
    const currentModel = modelId ?? models?.defaultModelId;
    return {
      sessionId,
      title,
      isRunning,
      isCompacting,
      undoable: sessionId === null ? null : undoable,
      models: models?.items.map(({ id, name }) => ({ value: id, label: name, isCurrent: id === currentModel })) ?? [],
      theme,
    };
  }, [sessionId, title, isRunning, isCompacting, undoable, models, modelId, theme]);
}
