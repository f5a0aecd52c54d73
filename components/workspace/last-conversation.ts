import { useSyncExternalStore } from 'react';
import { tabSite } from '#components/api/tab-site.ts';
import { HOME_PATH, sessionPath } from '#components/workspace/navigation.ts';

/** Entry of the tab's own storage with the id of the conversation that was open last, for each site. */
const key = () => `throughline-conversation:${tabSite() ?? ''}`;

/** Notes the conversation that is open in this tab; null: the start of a new one. */
export function noteConversation(sessionId: string | null): void {
  try {
    if (sessionId === null) sessionStorage.removeItem(key());
    else sessionStorage.setItem(key(), sessionId);
  } catch {
    // Without storage, the way back leads to a new conversation.
  }
}

/** Path of the conversation that was open last in this tab; of a new one where there is none. */
function lastConversationPath(): string {
  try {
    const id = sessionStorage.getItem(key());
    return id === null ? HOME_PATH : sessionPath(id);
  } catch {
    return HOME_PATH;
  }
}

const never = () => () => undefined;

/** `lastConversationPath` for links; the server, which does not know it, renders the start of a new conversation. */
export function useLastConversationPath(): string {
  return useSyncExternalStore(never, lastConversationPath, () => HOME_PATH);
}
