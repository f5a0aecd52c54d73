import type { UIMessageChunk } from 'ai';
import type { ResumedTurn } from '#server/conversation/events/load-transcript';
import type { TurnStream } from '#server/conversation/events/turn-stream';
import { type MessageWriter, TurnAnswer } from '#server/conversation/step/answer-writer';
import { RetryingWriter, turnWriter } from '#server/conversation/step/retrying-writer';
import type { TurnSite } from '#server/conversation/step/site-context';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import { TurnStop } from '#server/conversation/turn/turn-ending';
import type { Scope } from '#server/core/admin/access-rights';
import type { ApprovalPolicy } from '#server/core/conversation/approvals';
import type { Message } from '#server/core/conversation/messages';
import type { Session } from '#server/core/conversation/sessions';
import type { Turn } from '#server/core/conversation/turns';
import { ThroughlineError } from '#server/core/errors';
import type { ResolvedModel } from '#server/models/model-registry';

/** What the senders of a turn's messages allow. A message that is sent while the turn runs can only reduce it. */
export interface TurnPermissions {
  /** Policy for calls that need approval. */
  readonly approvalPolicy: ApprovalPolicy;
  /** Rights of the senders: the assistant has no others. */
  readonly scopes: readonly Scope[];
}

/** The beginning of a turn in this process. */
interface TurnStart {
  readonly turn: Turn;
  readonly session: Session;
  readonly stream: TurnStream;
  /** The user message that started the turn; null for a turn that waited for the user. */
  readonly message: Message | null;
  /** Stored part of a turn that waited for the user; null for a new turn. */
  readonly resumed: ResumedTurn | null;
}

/** One turn while this process runs it: what it works on, how it is stopped, and where its answer goes. */
export class RunningTurn {
  readonly #context: ConversationContext;
  readonly turn: Turn;
  readonly session: Session;
  readonly message: Message | null;
  readonly resumed: ResumedTurn | null;
  readonly stop = new TurnStop();
  readonly site: TurnSite;
  /** Repeats writes that a busy database refuses. */
  readonly store: RetryingWriter;
  /** Writes of the turn's messages; each checks in its transaction that this process still runs the turn. */
  readonly messages: MessageWriter;
  readonly answer: TurnAnswer;
  readonly #stream: TurnStream;
  #cancelStored: Promise<unknown> = Promise.resolve();

  constructor(context: ConversationContext, { turn, session, stream, message, resumed }: TurnStart) {
    this.#context = context;
    this.turn = turn;
    this.session = session;
    this.message = message;
    this.resumed = resumed;
    this.#stream = stream;
    this.site = context.sites.at(session.siteId);
    this.store = new RetryingWriter({
      mostMs: context.storePatienceMs,
      ending: this.stop.writers,
      turnId: turn.id,
      onFault: context.onFault,
    });
    this.messages = turnWriter(context.messages.forTurn(turn), this.store, () => this.stop.lose());
    const first = resumed?.messages.find(({ role, isSummary }) => role === 'assistant' && !isSummary);
    this.answer = new TurnAnswer(this.messages, turn, first?.id);
  }

  /** Sends a chunk to the readers of the answer. */
  publish(chunk: UIMessageChunk): void {
    this.#stream.publish(chunk);
  }

  /** Sends what an earlier run of the turn has streamed; readers that continue that answer do not get it. */
  repeat(chunks: readonly UIMessageChunk[]): void {
    this.#stream.repeat(chunks);
  }

  /** The model of the turn as it is currently served. @throws UnknownModelError */
  model(): ResolvedModel {
    return this.#context.models.resolve(this.turn.modelId ?? this.session.modelId);
  }

  /** Stops the turn for its user. @param stored the cancel request that is being stored; the turn ends after it */
  cancel(stored?: Promise<unknown>): void {
    this.stop.cancel();
    if (stored) this.#cancelStored = stored.catch(() => undefined);
  }

  /** Waits until a cancel request is stored, so that it finds the turn running. */
  async cancelStored(): Promise<void> {
    await this.#cancelStored;
  }

  /** Reads whether the turn is cancelled, which another process may have stored, and then stops it. */
  async readCancel(): Promise<boolean> {
    try {
      const stored = await this.#context.turns.find(this.turn.id);
      const isCancelled = stored !== null && stored.cancelRequestedAt !== null;
      if (isCancelled) this.stop.cancel();
      return isCancelled;
    } catch (error) {
      this.#context.onFault(`Whether turn ${this.turn.id} is cancelled could not be read`, error);
      return false;
    }
  }

  /** Does secondary work whose failure does not affect the turn. */
  async aside(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Figures are not available for a model that is no longer offered, or for a deleted session.
      if (!(error instanceof ThroughlineError)) this.#context.onFault(`${name} failed in turn ${this.turn.id}`, error);
    }
  }
}
