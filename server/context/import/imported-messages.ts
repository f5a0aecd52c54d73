import type { NewMessage } from '#server/core/messages';

/** A conversation from elsewhere, as messages of ours. */
export interface ImportedMessages {
  /** In order. Calls without results stay as they are: the view repairs them, the store keeps what came. */
  readonly messages: NewMessage[];
  /** System messages, joined: they become the session's own instructions. */
  readonly instructions: string | null;
}
