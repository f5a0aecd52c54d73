import type { Message, NewMessage, QueuedMessage, Session, Turn } from '#server/core/messages';

/** Who runs a turn and how long that holds without a renewal (milliseconds). */
export interface Lease {
  readonly leaseOwner: string;
  readonly leaseMs: number;
}

export type BeginOutcome =
  | { readonly kind: 'started'; readonly turn: Turn; readonly message: Message }
  | { readonly kind: 'queued'; readonly item: QueuedMessage; readonly position: number }
  | { readonly kind: 'repeated'; readonly turnId: string; readonly queued: null }
  | {
      readonly kind: 'repeated';
      readonly turnId: null;
      readonly queued: { readonly id: string; readonly position: number };
    };

/** Where turns are kept; the database decides who runs one. Each method is one transaction. */
export interface TurnStore {
  begin(
    request: Lease & {
      readonly sessionId: string;
      readonly message: NewMessage;
      readonly modelId: string | null;
      readonly clientRequestId: string | null;
    },
  ): Promise<BeginOutcome>;
  beginQueued(
    sessionId: string,
    lease: Lease,
  ): Promise<{ turn: Turn; message: Message; modelId: string | null } | null>;
  /** False: the turn is no longer ours. */
  renew(turnId: string, leaseOwner: string, leaseMs: number): Promise<boolean>;
  finish(turnId: string, end: { status: 'completed' | 'failed'; error: string | null }): Promise<boolean>;
  expired(): Promise<Turn[]>;
  settle(turnId: string): Promise<{ settled: boolean }>;
  sessionsWithQueue(): Promise<string[]>;
}

/** What a turn needs of the sessions. */
export interface SessionStore {
  get(id: string): Promise<Session>;
  update(id: string, changes: { title: string }): Promise<Session>;
}
