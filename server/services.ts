import 'server-only';
import { hostname } from 'node:os';
import pino, { type Logger } from 'pino';
import { chatStreamResponse } from '#server/agent/chat-stream-response';
import { ContextService } from '#server/agent/context-service';
import { loadTranscript } from '#server/agent/load-transcript';
import { TurnService } from '#server/agent/turn-service';
import type { ThroughlineUIMessage } from '#server/agent/ui-messages';
import { toolOutputText } from '#server/context/part-tokens';
import { ContextManager } from '#server/context/context-manager';
import type { ContentBackend } from '#server/content/content-backend';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { createId } from '#server/core/ids';
import type { LedgerEntry } from '#server/core/ledger';
import { type Env, parseEnv } from '#server/env';
import { createModelRegistry, type ModelOverrides, type ModelRegistry } from '#server/models/model-registry';
import { type CompactionRepository, createCompactionRepository } from '#server/store/compaction-repository';
import { createContentRepository } from '#server/store/content-repository';
import { createContextStore } from '#server/store/context-store';
import { openDatabase } from '#server/store/database';
import { createMessageRepository, type MessageRepository } from '#server/store/message-repository';
import { createSessionRepository, type SessionRepository } from '#server/store/session-repository';
import { createTurnRepository, type TurnRepository } from '#server/store/turn-repository';
import { tools } from '#server/tools/index';

/** Everything a route may use, wired once per process. */
export interface Services extends AsyncDisposable {
  readonly env: Env;
  readonly log: Logger;
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly turns: TurnRepository;
  readonly compactions: CompactionRepository;
  readonly content: ContentBackend;
  readonly models: ModelRegistry;
  readonly context: ContextService;
  readonly chat: TurnService;
  /** The whole conversation as the chat shows it. */
  readonly transcript: (sessionId: string) => Promise<ThroughlineUIMessage[]>;
  /** A turn's stream as the answer to a request. */
  readonly streamResponse: typeof chatStreamResponse;
}

/** In local mode there is one owner. */
export const LOCAL_OWNER = 'own_local';

/** Routes, pages and instrumentation each get their own instance of this module; the container is one for all. */
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** The services of this process, started by the first caller. */
export function services(): Promise<Services> {
  container.throughlineServices ??= startServices(parseEnv(process.env));
  return container.throughlineServices;
}

/**
 * Wires services of their own (tests, scripts); dispose them. `overrides` puts models in the place of real ones.
 * @throws when the database cannot be opened or migrated
 */
export async function startServices(env: Env, overrides: ModelOverrides = {}): Promise<Services> {
  const log = pino({ level: env.LOG_LEVEL, base: null });
  const database = await openDatabase({ url: env.DATABASE_URL, authToken: env.DATABASE_AUTH_TOKEN });
  const sessions = createSessionRepository(database);
  const messages = createMessageRepository(database);
  const turns = createTurnRepository(database);
  const compactions = createCompactionRepository(database);
  const content = createEmbeddedContentBackend(createContentRepository(database));
  const models = createModelRegistry(env, overrides);
  const manager = new ContextManager({
    store: createContextStore({ sessions, messages, compactions }),
    ledger: (sessionId) => readLedger(content, sessionId),
    settings: contextSettings(env),
    now: Date.now,
  });
  const chat = new TurnService({
    turns,
    sessions,
    leaseOwner: `${hostname()}:${process.pid}:${createId('own')}`,
    outputReserve: env.CONTEXT_OUTPUT_RESERVE,
    onFault: (message, error) => log.error({ err: error }, message),
    executor: {
      messages,
      context: manager,
      models,
      content,
      historyOf: (sessionId) => ({ readToolOutput: (partId) => readToolOutput(messages, sessionId, partId) }),
      settings: {
        maxSteps: env.MAX_STEPS,
        toolLimits: { perTool: env.TOOL_MAX_OUTPUT_CHARS, most: env.TOOL_OUTPUT_LIMIT },
      },
    },
  });
  await chat.start();
  return {
    env,
    log,
    sessions,
    messages,
    turns,
    compactions,
    content,
    models,
    context: new ContextService({
      context: manager,
      models,
      messages,
      sessions,
      turns,
      compactions,
      outputReserve: env.CONTEXT_OUTPUT_RESERVE,
    }),
    chat,
    transcript: (sessionId) => loadTranscript({ messages, compactions }, sessionId),
    streamResponse: chatStreamResponse,
    async [Symbol.asyncDispose]() {
      await chat.close();
      await database.close();
    },
  };
}

function contextSettings(env: Env) {
  return {
    outputReserve: env.CONTEXT_OUTPUT_RESERVE,
    pruneProtect: env.CONTEXT_PRUNE_PROTECT,
    pruneMinimum: env.CONTEXT_PRUNE_MINIMUM,
    minTurnsToKeep: env.CONTEXT_MIN_TURNS_TO_KEEP,
    exemptTools: new Set(tools.filter((tool) => tool.exemptFromPruning).map((tool) => tool.name)),
  };
}

/** Newest changes that a session's ledger holds; beyond it only counts would fit a summary anyway. */
const LEDGER_LIMIT = 1_000;

/** The journal of content changes, as the engine's ledger. */
async function readLedger(content: ContentBackend, sessionId: string): Promise<LedgerEntry[]> {
  const changes = await content.revisions({ sessionId, limit: LEDGER_LIMIT });
  return changes.map((change) => ({
    kind: change.targetType,
    id: change.targetId,
    slug: change.slug,
    title: change.title,
    action: change.action,
    summary: change.summary,
    undone: change.undoneBy !== null,
    at: change.createdAt,
  }));
}

async function readToolOutput(messages: MessageRepository, sessionId: string, partId: string): Promise<string | null> {
  const part = await messages.findToolOutput(sessionId, partId);
  return part ? toolOutputText(part.content.output) : null;
}
