import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { NewMessage } from '#server/core/conversation/messages';
import type { NewPart } from '#server/core/conversation/parts';
import {
  CompletionContext,
  type CompletionProcess,
  type IncomingConversation,
} from '#server/integrations/openai/completion-context';
import { CompactionCache, type CompactionCacheStore } from '#server/integrations/openai/compaction-cache';
import { parseEnv } from '#server/platform/config/env';
import { createModelRegistry } from '#server/models/model-registry';
import { call, result, text } from '#tests/support/arbitrary-history';
import { engineProcess } from '#tests/support/small-engine';
import { SUMMARIZER, TOLD, summaryModel } from '#tests/support/summary-models';

/* Conversations that a client keeps, and the engine for them without a server around it. */

/** A model that is not known: what it takes is what the test says. */
const CLIENT_MODEL = 'test/chat';

export const says = (value: string): NewMessage => ({ role: 'user', parts: [text(value)] });
export const answers = (value: string): NewMessage => ({ role: 'assistant', parts: [text(value)] });
export const calls = (...ids: string[]): NewMessage => ({
  role: 'assistant',
  parts: ids.map((id) => call(id, 'read_file', { path: `src/${id}.ts` })),
});
export const returns = (id: string, output: string): NewMessage => ({
  role: 'tool',
  parts: [result(id, output, 'read_file')],
});
export const shows = (question: string, url: string): NewMessage => {
  const picture: NewPart = { type: 'file', content: { mediaType: 'image/png', url } };
  return { role: 'user', parts: [text(question), picture] };
};

/** Text of about so many tokens; the same for the same two numbers, another for any other. */
export function prose(tokens: number, seed: number): string {
  return `Note ${seed}: ${'every bowl on the shelf was thrown by hand '.repeat(Math.ceil(tokens / 9))}`;
}

export interface ClientEngineOptions {
  /** Tokens. */
  readonly window?: number;
  /** Default: one that lasts as long as the engine. */
  readonly store?: CompactionCacheStore;
  /** What the summarizer does. Default: it tells. */
  readonly summarize?: (options: LanguageModelV4CallOptions) => Promise<string>;
  /** Default: there is one. */
  readonly hasSummarizer?: boolean;
  readonly now?: () => number;
}

/** The engine for conversations of clients; counts how often a model was asked for a summary. */
export function clientEngine({
  window = 16_000,
  store = memoryRounds(),
  summarize = () => Promise.resolve(TOLD),
  hasSummarizer = true,
  now = Date.now,
}: ClientEngineOptions = {}) {
  const counted = { summaries: 0 };
  const faults: unknown[] = [];
  const compactions: object[] = [];
  const model = summaryModel((options) => {
    counted.summaries += 1;
    return summarize(options);
  });
  const models = createModelRegistry(
    parseEnv({
      CONTEXT_WINDOW: String(window),
      ...(hasSummarizer && { COMPACTION_MODEL: SUMMARIZER }),
    }),
    { models: { [SUMMARIZER]: model, ...(hasSummarizer && { [CLIENT_MODEL]: model }) } },
  );
  const process: CompletionProcess = {
    ...engineProcess({}, now),
    models,
    calibrations: {
      factor: (_: string, fallback: number) => fallback,
      learn: () => Promise.resolve(),
      learnExact: () => Promise.resolve(),
      accept: () => undefined,
      largestAccepted: () => 0,
    },
    programs: { add: (modelId, compaction) => compactions.push({ modelId, ...compaction }) },
    rounds: new CompactionCache(store, (_, error) => faults.push(error)),
  };
  return {
    faults,
    compactions,
    summaries: () => counted.summaries,
    open: (messages: readonly NewMessage[], more: Partial<IncomingConversation> = {}, signal?: AbortSignal) =>
      CompletionContext.open(
        process,
        {
          ownerId: 'own_1',
          modelId: hasSummarizer ? CLIENT_MODEL : 'throughline/offline',
          messages,
          instructions: 'Be brief.',
          tools: '',
          ...more,
        },
        signal,
      ),
  };
}

/** Rounds in memory, without any bounds. */
export function memoryRounds(): CompactionCacheStore & { readonly rows: { ownerId: string; round: string }[] } {
  const rows: { id: string; ownerId: string; prefixHash: string; round: string }[] = [];
  return {
    rows,
    find: (ownerId, hashes) =>
      Promise.resolve(rows.filter((row) => row.ownerId === ownerId && hashes.includes(row.prefixHash))),
    keep: (ownerId, prefixHash, round) => {
      rows.push({ id: `rnd_${rows.length}`, ownerId, prefixHash, round: JSON.stringify(round) });
      return Promise.resolve();
    },
    touch: () => Promise.resolve(),
  };
}
