import { ownWords } from '#server/core/conversation/added-text';
import { createOfflineModel } from '#server/models/offline/offline-model';
import { type FakeOpenRouter, type FakeOpenRouterOptions, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import type { ParsedRequest } from '#tests/support/request-log';
import { respondWithModel } from '#tests/support/respond-with-model';
import { isSummaryRequest } from '#tests/support/summary-requests';

/** A server of the built app whose model is scripted by the test, through OpenRouter's real wire format. */
export interface ScriptedServer extends AsyncDisposable {
  readonly server: ProductionServer;
  readonly provider: FakeOpenRouter;
}

/** What the basic assistant would answer; the model of tests without a script. */
export const think = respondWithModel(createOfflineModel());

/** Starts both. `env` adds settings of the app. */
export async function startScriptedServer(
  respond: FakeOpenRouterOptions['respond'],
  env: Readonly<Record<string, string>> = {},
): Promise<ScriptedServer> {
  const provider = await startFakeOpenRouter({ respond });
  const server = await startProductionServer({
    seed: true,
    env: {
      OPENROUTER_API_KEY: 'test-key',
      OPENROUTER_BASE_URL: provider.baseUrl,
      DEFAULT_MODEL: 'anthropic/claude-sonnet-4.5',
      ...env,
    },
  });
  return {
    server,
    provider,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await provider.close();
    },
  };
}

/** A conversation of `entries` exchanges, each of about 200 tokens, that nearly fills a 16,000 token window. */
export function diary(entries: number) {
  return Array.from({ length: entries }, (_, day) => [
    { role: 'user', content: `Day ${day + 1}: please note what we fired.` },
    { role: 'assistant', content: `Noted for day ${day + 1}: ${'bowls, jugs and plates came out well. '.repeat(21)}` },
  ]).flat();
}

/** A summary as a model writes it. */
export const SUMMARY = [
  '### Original Task\nWrite the studio diary.',
  '### What Was Accomplished\nThirty entries were written down.',
  '### Current State\nThe diary is complete so far.',
  '### What Comes Next\nMore entries.',
].join('\n\n');

/** Summarizes, and is the basic assistant otherwise. */
export const thinkAndSummarize: FakeOpenRouterOptions['respond'] = (request, index) =>
  isSummaryRequest(request) ? { text: SUMMARY } : think(request, index);

/** Holds back what waits for it until it is opened. */
export function createGate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** What the user said in the newest user message of a request, without environment context. */
export function newestRequest({ messages }: ParsedRequest): string {
  const content = messages.findLast((message) => message.role === 'user')?.content ?? '';
  return JSON.stringify(content, (_, value: unknown) => (typeof value === 'string' ? ownWords(value) : value));
}
