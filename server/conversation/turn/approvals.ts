import type { AnswerWriter } from '#server/conversation/step/answer-writer';
import {
  type AskingCall,
  asksByItself,
  type CallEffect,
  type CallFacts,
  callsThatAsk,
  checkApproval,
  effectOf,
  isDecided,
} from '#server/conversation/step/call-effects';
import type { PendingCall, ToolDecision } from '#server/conversation/step/run-tool-call';
import { approvalRequest } from '#server/conversation/step/ui-messages';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import type { RunningTurn, TurnPermissions } from '#server/conversation/turn/running-turn';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import type { AskedCall } from '#server/core/conversation/turn-store';
import type { ChangeOrigin } from '#server/core/site/changes';
import { serverText } from '#server/core/messages/server-text';
import { withDigest } from '#server/tools/shown-effect';
import { type EffectContext, isToolFor, type Tool, type Toolbox } from '#server/tools/tool';

/** A call that waits for approval, with the effect shown to the user. */
export type WaitingCall = PendingCall & AskedCall;

/** Decisions on calls that need approval, made in advance by the sender of the message. */
const ALLOWED: ToolDecision = { approved: true, reason: null, effect: null };
const REFUSED: ToolDecision = {
  approved: false,
  reason: 'The sender of this message allows no calls that need approval, so it was not done.',
  effect: null,
};

/** Number of the newest changes of a turn that are read to count the things that it has changed. */
const MAX_CHANGES = 500;

/**
 * The approvals of one turn: which calls need one, and what they would do. An approval is bound to the effect that the
 * user was shown; `check` refuses the call if it would do something else by now.
 */
export class Approvals implements CallFacts {
  readonly #context: ConversationContext;
  readonly #run: RunningTurn;
  /** The calls that wait for the user, and the tool message for the results of their step. */
  #waiting: { readonly calls: readonly WaitingCall[]; readonly results: AnswerWriter } | null = null;

  constructor(context: ConversationContext, run: RunningTurn) {
    this.#context = context;
    this.#run = run;
  }

  /** The calls of a step that need the user's approval. */
  needed(
    calls: readonly PendingCall[],
    toolbox: Toolbox,
    { scopes }: TurnPermissions,
    signal: AbortSignal,
  ): Promise<readonly AskingCall[]> {
    const allowed = calls.filter(({ toolName }) => isAllowed(toolbox.find(toolName), scopes));
    const settings = this.#context.settings.current();
    return callsThatAsk(allowed, this, { toolbox, settings, scopes, signal });
  }

  /** Checks again whether the call needs approval: its effect may have changed because earlier calls have run. */
  async isNeededNow(call: PendingCall, tool: Tool, { approvalPolicy, scopes }: TurnPermissions): Promise<boolean> {
    const isSettled = call.decision !== undefined || call.error !== undefined || approvalPolicy === 'allow';
    const { toolPolicies } = this.#context.settings.current();
    if (isSettled || !tool.asks || isDecided(tool, toolPolicies, scopes)) return false;
    return this.asks(call, tool);
  }

  /** Returns whether a call needs approval by its tool's own rule. */
  asks(call: PendingCall, tool: Tool): Promise<boolean> {
    return asksByItself(call, tool, this.#effectContext(call), this.#context.onFault);
  }

  /** The present effect of a call, or why it is impossible. Never throws. */
  effectOf(call: PendingCall, tool: Tool | undefined, signal: AbortSignal): Promise<CallEffect> {
    const { onFault } = this.#context;
    return effectOf(call, tool, this.#effectContext(call), { signal, onFault });
  }

  /** The present effect of a call; null if it is not known. */
  async shownEffect(call: PendingCall, tool: Tool, signal: AbortSignal): Promise<ToolEffect | null> {
    return (await this.effectOf(call, tool, signal)).effect;
  }

  /**
   * Checks that a call is still what the user approved.
   * @param approved part ids of the calls that were approved together
   * @returns null for a call that no user has approved
   */
  async check(call: PendingCall, tool: Tool, approved: ReadonlySet<string>) {
    if (!isApprovedByUser(call)) return null;
    return checkApproval(call, tool, this.#effectContext(call), { approved, onFault: this.#context.onFault });
  }

  /** The author of the changes that a call makes. */
  originOf({ partId, toolCallId, decision }: PendingCall): ChangeOrigin {
    const approvalId = decision?.approved ? { approvalId: partId } : {};
    const { id: sessionId, ownerId: userId } = this.#run.session;
    return { actor: 'assistant', userId, sessionId, turnId: this.#run.turn.id, toolCallId, ...approvalId };
  }

  /** Keeps calls until the end of the turn is stored: then their requests can be shown, or the calls refused. */
  wait(calls: readonly WaitingCall[], results: AnswerWriter): void {
    this.#waiting = { calls, results };
  }

  get waiting(): { readonly calls: readonly WaitingCall[]; readonly results: AnswerWriter } | null {
    return this.#waiting;
  }

  /** Shows the approval requests in the chat. Call it only when a decision can be accepted. */
  show(): void {
    for (const call of this.#waiting?.calls ?? []) this.#run.publish(approvalRequest(call));
  }

  /** Changes since the user's last approval: approved ones are not counted against the turn again. */
  async changedSoFar(): Promise<readonly string[]> {
    const { site, session, turn } = this.#run;
    const changes = await site.content.changes({ sessionId: session.id, turnId: turn.id, limit: MAX_CHANGES });
    const made = new Set(changes.filter(({ action }) => action === 'create').map(({ targetId }) => targetId));
    const agreed = changes.findIndex(({ origin }) => origin.approvalId !== undefined);
    const unasked = agreed === -1 ? changes : changes.slice(0, agreed);
    return [...new Set(unasked.map(({ targetId }) => targetId))].filter((id) => !made.has(id));
  }

  #effectContext(call: PendingCall): EffectContext {
    const { site, session } = this.#run;
    const files = this.#context.attachments.filesOf(session.id);
    return { content: site.content, origin: this.originOf(call), files };
  }
}

/** A call of an unknown tool is refused when it runs, with its own message. */
export function isAllowed(tool: Tool | undefined, scopes: TurnPermissions['scopes']): boolean {
  return tool === undefined || isToolFor(scopes, tool);
}

/** The call with the decision that the sender of the message made in advance. */
export function withDecisionInAdvance(call: PendingCall, { approvalPolicy }: TurnPermissions): PendingCall {
  return { ...call, decision: approvalPolicy === 'allow' ? ALLOWED : REFUSED };
}

/** True if a person has approved this call; false if the sender of the message allowed all calls in advance. */
export function isApprovedByUser({ decision }: PendingCall): boolean {
  return decision?.approved === true && decision !== ALLOWED;
}

/** The effect of a call that needs approval because of the number of calls in the step. */
export function asOneOfMany(effect: ToolEffect | null): ToolEffect | null {
  const { code, params, text } = serverText('many-changes');
  const notices = [{ code, params }, ...(effect?.notices ?? [])];
  return effect && withDigest({ ...effect, warnings: [text, ...effect.warnings], notices });
}
