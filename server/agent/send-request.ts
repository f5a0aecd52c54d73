import type { UIMessageChunk } from 'ai';
import type { ApprovalPolicy, Session } from '#server/core/messages';
import type { Scope } from '#server/core/people';

/** A message of the user, on its way to a turn. */
export interface SendRequest {
  readonly session: Session;
  /** What the user wrote, part by part. */
  readonly texts: readonly string[];
  /** Ids of attachments of this session. Default: none. */
  readonly files?: readonly string[];
  readonly modelId: string | null;
  /** What becomes of calls that have to ask. Default `ask`. */
  readonly approvalPolicy?: ApprovalPolicy | undefined;
  /** What its sender may do: the assistant may do no more for him. */
  readonly scopes: readonly Scope[];
  /** The API key it is sent with: its turn ends with that. Default: none. */
  readonly keyId?: string | null | undefined;
  readonly clientRequestId: string | null;
  /** The newest request of the session, in whose place this is sent. Default: none, it is said behind all else. */
  readonly replaces?: Replacement | undefined;
}

/** A message that is taken back, with everything that followed it, for another one. */
export interface Replacement {
  readonly messageId: string;
  /** Also what its turn did to the site, all of it or the message is not sent. Default false. */
  readonly undoChanges?: boolean | undefined;
}

/** What became of a message whose sender waits for the answer. */
export type SendOutcome =
  | { readonly kind: 'started'; readonly stream: ReadableStream<UIMessageChunk> }
  | { readonly kind: 'queued'; readonly id: string; readonly position: number };

/**
 * What became of a message that may wait: its place (from 1) and id in the queue, or 0 and the id of the message (of a
 * repeated request that waited, the id it had in the queue).
 */
export interface EnqueueOutcome {
  readonly queued: boolean;
  readonly position: number;
  readonly id: string;
}
