import type { FileUIPart, ProviderMetadata, TextUIPart, UIMessage, UIMessageChunk } from 'ai';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { CompactionComplete, ThroughlineDataParts } from '#server/core/conversation/events';
import type { JsonValue } from '#server/core/json';
import { publicFileUrl } from '#server/core/conversation/part-types/blobs';
import { type Approval, approvalIdOf } from '#server/core/conversation/approvals';
import { type CoalescedMetadata, type Message, pairToolResults } from '#server/core/conversation/messages';
import { CANCELLED } from '#server/core/conversation/turns';
import { isEngineNote } from '#server/core/conversation/part-text';
import { type ToolOutput, toolOutputText, withPublicImages } from '#server/core/conversation/part-types/tool-output';
import {
  definitionOf,
  type Part,
  type PartContent,
  type ToolCallPart,
  type ToolResultPart,
} from '#server/core/conversation/parts';
import { shownEffect } from '#server/tools/shown-effect';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import type { CodedMessage } from '#server/core/coded-message';

/** Metadata of a message in the browser; for a user message also how it was coalesced. */
export interface MessageMetadata extends Partial<CoalescedMetadata> {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly status: Message['status'];
  readonly turnId?: string;
  readonly modelId?: string;
  /** Only for an answer that the user stopped: `cancelled`. */
  readonly finishReason?: string;
  readonly error?: string;
  /** `error` as data; missing if it has no code. */
  readonly errorMessage?: CodedMessage;
  /** True for a user message that replaced another one. */
  readonly earlierVersion?: boolean;
  /** Ids that clients gave the request; of a message of several that were queued, one for each. */
  readonly clientRequestIds?: readonly string[];
}

/** A message as the chat receives it: a UI message of the AI SDK with our metadata and data parts. */
export type ThroughlineUIMessage = UIMessage<MessageMetadata, ThroughlineDataParts>;
type UIPart = ThroughlineUIMessage['parts'][number];

interface Draft {
  id: string;
  role: 'user' | 'assistant';
  metadata: MessageMetadata;
  parts: UIPart[];
  /** The message starts with a part other than an answer; it takes the id of the first answer. */
  awaitsId?: boolean;
}

/** Sources of a stored transcript in addition to its messages. */
interface Records {
  readonly results: ReadonlyMap<string, ToolResultPart>;
  /** Keyed by the call's part id. */
  readonly approvals: ReadonlyMap<string, Approval>;
}

/**
 * Stored messages as the chat shows them: all steps of a turn are merged into one assistant message, as in the live
 * stream; a compaction is a line in its position, and so is a user message sent while the turn ran; notes of the engine
 * are not shown. Cleared outputs are shown in full, with a mark: pruning only concerns the model.
 * @param messages in order, including summaries
 * @param approvals of the turn that waits for the user, if there is one, and of denied calls
 */
export function toUIMessages(
  messages: readonly Message[],
  compactions: readonly CompactionRecord[],
  approvals: readonly Approval[] = [],
): ThroughlineUIMessage[] {
  const records = {
    results: pairToolResults(messages),
    approvals: new Map(approvals.map((approval) => [approval.partId, approval])),
  };
  const bySummary = new Map(compactions.map((compaction) => [compaction.summaryMessageId, compaction]));
  const drafts: Draft[] = [];
  let turnId: string | null = null;
  for (const message of messages) {
    if (message.role === 'tool' || isEngineNote(message)) continue;
    if (message.role === 'user' && (message.turnId === null || message.turnId !== turnId)) {
      const parts = [...userParts(message), ...message.parts.flatMap(shownPart)];
      drafts.push({ id: message.id, role: 'user', metadata: metadataOf(message), parts });
      turnId = message.turnId;
      continue;
    }
    const parts = message.isSummary ? compactionParts(bySummary.get(message.id)) : answerParts(message, records);
    const open = drafts.at(-1);
    if (open?.role === 'assistant') extend(open, message, parts);
    else drafts.push(startAnswer(message, parts));
  }
  return drafts
    .filter(({ parts, metadata }) => parts.length > 0 || metadata.error || metadata.finishReason)
    .map(({ awaitsId: _, ...rest }) => rest);
}

/** A user message sent while a turn ran, as a part of the turn's answer. */
export function steeringPart(message: Message): {
  type: 'steering-message';
  id: string;
  parts: (TextUIPart | FileUIPart)[];
} {
  const { messageCount } = message.metadata ?? {};
  const parts = userParts(message).map((part) =>
    part.type === 'text' && messageCount !== undefined
      ? { ...part, providerMetadata: { throughline: { messageCount } } }
      : part,
  );
  return { type: 'steering-message', id: message.id, parts };
}

function startAnswer(message: Message, parts: UIPart[]): Draft {
  return { id: message.id, role: 'assistant', metadata: metadataOf(message), parts, awaitsId: !isAnswer(message) };
}

/** False for messages that appear within an answer: a summary, a user message. */
function isAnswer({ role, isSummary }: Message): boolean {
  return role === 'assistant' && !isSummary;
}

function extend(open: Draft, message: Message, parts: UIPart[]): void {
  for (const part of parts) open.parts.push(part);
  if (!isAnswer(message)) return;
  if (open.awaitsId) open.id = message.id;
  open.awaitsId = false;
  open.metadata = { ...metadataOf(message), createdAt: open.metadata.createdAt };
}

function metadataOf(message: Message): MessageMetadata {
  const { createdAt, status, turnId, modelId, finishReason, error, errorMessage, metadata } = message;
  return {
    createdAt,
    status,
    ...(turnId !== null && { turnId }),
    ...(modelId !== null && { modelId }),
    ...(finishReason === CANCELLED && { finishReason }),
    ...(error !== null && { error }),
    ...(errorMessage !== null && { errorMessage }),
    ...metadata,
  };
}

function userParts(message: Message): (TextUIPart | FileUIPart)[] {
  return message.parts.flatMap((part): (TextUIPart | FileUIPart)[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.content.text }];
    if (part.type !== 'file') return [];
    const { mediaType, url, filename, width, height } = part.content;
    // Reserves the space of a picture before it is loaded.
    const providerMetadata = { throughline: { width: width ?? null, height: height ?? null } };
    return [
      {
        type: 'file',
        mediaType,
        url: publicFileUrl(url),
        ...(filename !== undefined && { filename }),
        ...(width !== undefined && { providerMetadata }),
      },
    ];
  });
}

function answerParts(message: Message, records: Records): UIPart[] {
  if (message.role === 'user') return [steeringPart(message), ...message.parts.flatMap(shownPart)];
  return assistantParts(message, records);
}

/** A part whose type has a view of its own in the chat; the others have a form of the AI SDK, or are not shown. */
function shownPart({ id, ...part }: Part): UIPart[] {
  if (!definitionOf(part.type).isShown) return [];
  return [{ type: 'data-part', id, data: { type: part.type, content: part.content } }];
}

function assistantParts(message: Message, records: Records): UIPart[] {
  const parts = message.parts.flatMap((part): UIPart[] => {
    if (part.type === 'text' || part.type === 'reasoning') {
      if (part.content.text === '') return [];
      return [{ type: part.type, text: part.content.text, state: part.state === 'running' ? 'streaming' : 'done' }];
    }
    return part.type === 'tool-call' ? [callPart(part, message.status === 'streaming', records)] : shownPart(part);
  });
  return parts.length === 0 ? [] : [{ type: 'step-start' }, ...parts];
}

function callPart(part: ToolCallPart, isStreaming: boolean, { results, approvals }: Records): UIPart {
  const { toolCallId, toolName, input } = part.content;
  const common = { type: `tool-${toolName}` as const, toolCallId, input };
  const result = results.get(part.id);
  if (!result) {
    const approval = approvals.get(part.id);
    if (approval) return { ...common, ...approvalState(approval) };
    if (part.state === 'input-streaming') return { ...common, ...writtenInput(input), state: part.state };
    const isOpen = isStreaming || part.state === 'running' || part.state === 'pending';
    if (isOpen) return { ...common, state: 'input-available' };
    return { ...common, state: 'output-error', errorText: UNFINISHED };
  }
  const { output } = result.content;
  const resultProviderMetadata = factsOf(result);
  const facts = resultProviderMetadata && { resultProviderMetadata };
  if (output.type === 'text' || output.type === 'json' || output.type === 'content') {
    return { ...common, state: 'output-available', output: shownOutput(output), ...facts };
  }
  if (output.type === 'execution-denied') {
    const { reason } = output;
    const id = approvals.get(part.id)?.approvalId ?? approvalIdOf(part.id, null);
    const approval = { id, approved: false as const, ...(reason !== undefined && { reason }) };
    return { ...common, state: 'output-denied', approval };
  }
  return { ...common, state: 'output-error', errorText: toolOutputText(output), ...facts };
}

/** The input of a call that is still being written, as the AI SDK keeps it: only its text. */
function writtenInput(input: JsonValue) {
  return { input: undefined, ...(typeof input === 'string' && { rawInput: input }) };
}

function factsOf({ content: { durationMs, summary }, compactedAt, excerptChars }: ToolResultPart) {
  return resultMetadata({
    ...(durationMs !== undefined && { durationMs }),
    ...(summary && { summary }),
    ...(compactedAt !== null && { cleared: excerptChars === null ? 'whole' : 'excerpt' }),
  });
}

/** Approval of a call that waits, or whose turn waits for other calls. */
function approvalState({ approvalId, status, reason, effect }: Approval) {
  const asked = { id: approvalId, ...(effect && { descriptor: shownEffect(effect) }) };
  if (status === 'pending') return { state: 'approval-requested' as const, approval: asked };
  const approval = { ...asked, approved: status === 'approved', ...(reason !== null && { reason }) };
  return { state: 'approval-responded' as const, approval };
}

const UNFINISHED = 'Interrupted before a result was recorded.';

function compactionParts(record: CompactionRecord | undefined): UIPart[] {
  if (!record || record.status !== 'completed') return [];
  const data: CompactionComplete = {
    phase: 'complete',
    tokensBefore: record.tokensBefore,
    tokensAfter: record.tokensAfter,
    messagesCompacted: record.messagesCompacted,
    wasPruned: false,
    wasSummarized: record.modelId !== null,
    round: record.round,
    compactionId: record.id,
    strategy: record.strategy,
    durationMs: record.durationMs,
  };
  return [{ type: 'data-compaction', id: record.id, data }];
}

/** State of a call in the chat in addition to its result. */
export interface ResultFacts {
  /** Run time of the tool, milliseconds. */
  readonly durationMs?: number;
  /** The model no longer receives the output: nothing of it, or only an excerpt. */
  readonly cleared?: 'whole' | 'excerpt';
  /** Summary of what the call changed. */
  readonly summary?: CodedMessage;
}

/** The metadata of a result, live and in a stored transcript; undefined if it is empty. */
function resultMetadata({ durationMs, cleared, summary }: ResultFacts): ProviderMetadata | undefined {
  if (durationMs === undefined && cleared === undefined && summary === undefined) return undefined;
  return {
    throughline: {
      ...(durationMs !== undefined && { durationMs }),
      ...(cleared !== undefined && { cleared }),
      ...(summary && { summary: { ...summary } }),
    },
  };
}

/** Chunk that shows a waiting call in the chat, with what the user sees of it. */
export function approvalRequest({
  partId,
  toolCallId,
  effect,
}: {
  partId: string;
  toolCallId: string;
  effect: ToolEffect | null;
}): UIMessageChunk {
  const approvalId = approvalIdOf(partId, effect);
  const shown = effect && { approvalDescriptor: shownEffect(effect) };
  return { type: 'tool-approval-request', approvalId, toolCallId, ...shown };
}

/**
 * An output in the form that the chat expects: a single text or JSON directly, several pieces as a list with their
 * types.
 */
function shownOutput(output: Extract<ToolOutput, { type: 'text' | 'json' | 'content' }>): unknown {
  return output.type === 'content' ? withPublicImages(output) : output.value;
}

/**
 * Chunks that show the result of a call that has just run. A denied call is shown with the user's decision.
 * @param approvalId the call's, see approvalIdOf
 */
export function toolResultChunks(
  approvalId: string,
  toolCallId: string,
  { output, durationMs, summary }: PartContent<'tool-result'>,
): UIMessageChunk[] {
  const providerMetadata = resultMetadata({
    ...(durationMs !== undefined && { durationMs }),
    ...(summary && { summary }),
  });
  const facts = providerMetadata && { providerMetadata };
  switch (output.type) {
    case 'execution-denied': {
      const { reason } = output;
      return [
        { type: 'tool-approval-request', approvalId, toolCallId },
        {
          type: 'tool-approval-response',
          approvalId,
          approved: false,
          ...(reason !== undefined && { reason }),
        },
        { type: 'tool-output-denied', toolCallId },
      ];
    }
    case 'error-text':
    case 'error-json':
      return [{ type: 'tool-output-error', toolCallId, errorText: toolOutputText(output), ...facts }];
    default:
      return [{ type: 'tool-output-available', toolCallId, output: shownOutput(output), ...facts }];
  }
}
