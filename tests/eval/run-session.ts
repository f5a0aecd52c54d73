import { setImmediate as untilSignalsAreHeard } from 'node:timers/promises';
import { getToolName, isToolUIPart } from 'ai';
import { messageOf } from '#components/api/api-error.ts';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';
import { ConflictError } from '#server/core/errors';
import type { Message } from '#server/core/conversation/messages';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { Services } from '#server/services';
import { factsOf } from '#tests/eval/facts';
import { type Probe, type ProbeKind, probeKinds } from '#tests/eval/probe';
import { probesOf } from '#tests/eval/probes';
import type { Score } from '#tests/eval/score';
import { readSite, type Site } from '#tests/eval/site';
import { talkOf } from '#tests/eval/talk';
import { answerText, say } from '#tests/support/chat-client';

/** What became of one probe. */
export interface ProbeResult extends Score {
  readonly kind: ProbeKind;
  /** As it was asked. */
  readonly question: string;
  /** Tools that were called for the answer; none: it came from the context. */
  readonly tools: readonly string[];
  /** Compactions while it was answered. */
  readonly compactions: number;
  /** Why its turn failed; null: it did not. */
  readonly error: string | null;
}

/** One session and what was asked at its end. */
export interface SessionResult {
  readonly seed: number;
  readonly sessionId: string;
  readonly modelId: string;
  readonly turns: number;
  /** Until the first probe: what was said before a compaction is what is asked about. */
  readonly compactions: number;
  readonly probes: readonly ProbeResult[];
  /** Probes by kind that this model cannot be asked (the basic assistant knows few phrases). */
  readonly skipped: readonly ProbeKind[];
  /** As the provider reported them, talk, probes and summaries together. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cost: number | null };
  /** Why the talk ended early, or the first turn of a probe that failed; null: everything ran. */
  readonly error: string | null;
}

export interface SessionOptions {
  readonly seed: number;
  /** Requests before the probes. */
  readonly turns: number;
  /** Of the probes that are asked. Default: all. */
  readonly kinds?: readonly ProbeKind[] | undefined;
  /** Default: the configured one. */
  readonly modelId?: string | undefined;
  /** Called before each turn. Default: no progress reports. */
  readonly onProgress?: (what: string) => void;
}

/** Has a model do a whole session on an empty site, then asks the probes. Never throws for what a turn did. */
export async function runSession(services: Services, options: SessionOptions): Promise<SessionResult> {
  const { seed, turns, kinds = probeKinds } = options;
  const facts = factsOf(seed);
  const modelId = services.models.resolve(options.modelId).id;
  const { id } = await services.sessions.create({ ownerId: 'own_local', modelId });
  const probes: ProbeResult[] = [];
  const skipped: ProbeKind[] = [];
  let compactions = 0;
  let error: string | null = null;
  try {
    for (const [index, request] of talkOf(facts, turns, seed).entries()) {
      // The basic assistant and a database file never wait, so signals would not be handled.
      await untilSignalsAreHeard();
      options.onProgress?.(`turn ${index + 1} of ${turns}`);
      await say(services, id, request);
    }
    compactions = await countCompactions(services, id);
    const afterTalk = await readSite(services.builtIn.content);
    const chosen = probesOf(facts).filter(({ kind }) => kinds.includes(kind));
    for (const [index, probe] of chosen.entries()) {
      await untilSignalsAreHeard();
      options.onProgress?.(`question ${index + 1} of ${chosen.length}`);
      const question = modelId === OFFLINE_MODEL_ID ? probe.offlineQuestion : probe.question;
      if (question === null) skipped.push(probe.kind);
      else probes.push(await ask(services, id, { probe, question, afterTalk, isFirst: probes.length === 0 }));
    }
    error = probes.find((probe) => probe.error !== null)?.error ?? null;
  } catch (thrown) {
    error = messageOf(thrown);
  }
  const usage = await usageOf(services, id);
  return { seed, sessionId: id, modelId, turns, compactions, probes, skipped, usage, error };
}

interface Asked {
  readonly probe: Probe;
  readonly question: string;
  /** The site as the talk has left it. */
  readonly afterTalk: Site;
  readonly isFirst: boolean;
}

/**
 * Replaces the probe before, and undoes its changes: every probe finds the conversation and the site as the talk has
 * left them. A turn that fails is a wrong answer.
 */
async function ask(services: Services, sessionId: string, asked: Asked): Promise<ProbeResult> {
  const { probe, question, afterTalk, isFirst } = asked;
  let before = afterTalk;
  const compactionsBefore = await countCompactions(services, sessionId);
  let [text, tools, error]: [string, string[], string | null] = ['', [], null];
  try {
    let answer = isFirst ? null : await sayInstead(services, sessionId, question);
    if (answer === null) {
      before = await readSite(services.builtIn.content);
      answer = await say(services, sessionId, question);
    }
    [text, tools] = [answerText(answer), toolsOf(answer)];
  } catch (thrown) {
    error = messageOf(thrown);
  }
  const score = probe.score(text, await readSite(services.builtIn.content), before);
  const compactions = (await countCompactions(services, sessionId)) - compactionsBefore;
  const failed = error === null ? {} : { right: false, given: error };
  return { kind: probe.kind, question, ...score, ...failed, tools, compactions, error };
}

/** Null if a summary includes the probe before: it cannot be replaced, and the next one follows it. */
async function sayInstead(services: Services, sessionId: string, text: string): Promise<ThroughlineUIMessage | null> {
  const newest = (await allMessages(services, sessionId, false)).findLast(
    // The engine's own notes answer a request, too.
    ({ role, parentId }) => role === 'user' && parentId === null,
  );
  const replaces = newest && { messageId: newest.id, undoChanges: true };
  try {
    return await say(services, sessionId, text, replaces);
  } catch (error) {
    if (error instanceof ConflictError) return null;
    throw error;
  }
}

async function countCompactions(services: Services, sessionId: string): Promise<number> {
  const records = await services.compactions.list(sessionId);
  return records.filter(({ strategy, status }) => strategy !== PRUNE_STRATEGY && status === 'completed').length;
}

function toolsOf({ parts }: ThroughlineUIMessage): string[] {
  return parts.flatMap((part) => (isToolUIPart(part) ? [getToolName(part)] : []));
}

async function allMessages(services: Services, sessionId: string, superseded: boolean): Promise<Message[]> {
  const messages: Message[] = [];
  let cursor: string | undefined;
  do {
    const page = await services.messages.list(sessionId, { limit: 1_000, cursor, superseded });
    messages.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return messages;
}

async function usageOf(services: Services, sessionId: string): Promise<SessionResult['usage']> {
  const [messages, compactions] = await Promise.all([
    allMessages(services, sessionId, true),
    services.compactions.list(sessionId),
  ]);
  const usages = [...messages, ...compactions].flatMap(({ usage }) => usage ?? []);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const costs = usages.flatMap(({ cost }) => cost ?? []);
  return {
    inputTokens: sum(usages.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(usages.map(({ outputTokens }) => outputTokens)),
    cost: costs.length === 0 ? null : sum(costs),
  };
}
