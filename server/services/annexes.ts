import type { AuditLog } from '#server/auth/audit-log';
import type { Limits } from '#server/auth/limits';
import { Completions } from '#server/completions/completions';
import { KeptRounds } from '#server/completions/kept-rounds';
import { canRunPrograms } from '#server/config/env';
import type { ContentBackend } from '#server/content/content-backend';
import type { Calibrations } from '#server/context/current-tokens';
import type { CallRequestStore } from '#server/core/call-requests';
import { once } from '#server/core/async';
import { createForms } from '#server/forms/forms';
import { createSubmissionUpkeep } from '#server/forms/submission-upkeep';
import type { Mailer } from '#server/mail/mailer';
import { McpServers } from '#server/mcp/mcp-servers';
import type { McpEndpoint } from '#server/mcp-endpoint/mcp-endpoint';
import type { ModelRegistry } from '#server/models/model-registry';
import { type Foundation, sealStored } from '#server/services/foundation';
import type { openSite } from '#server/services/site';
import type { Settings } from '#server/settings/settings';
import { createKeptRoundRepository } from '#server/store/kept-round-repository';
import { createMcpServerRepository } from '#server/store/mcp-server-repository';
import { createSubmissionRepository } from '#server/store/submission-repository';
import type { Tool } from '#server/tools/tool';

/* Features at the edge of the server. Each is opened by one function here; nothing else knows what is inside. */

/** External MCP servers whose tools are offered beside ours. */
export async function openToolServers({ env, database, secretBox, signals, onFault }: Foundation): Promise<McpServers> {
  const store = createMcpServerRepository(database, secretBox);
  await sealStored(store, onFault);
  return McpServers.load({ store, signals, variables: process.env, canRunPrograms: canRunPrograms(env), onFault });
}

/** Forms of the built-in site: what visitors send is kept, and mailed where a mail server is set. */
export function openForms({ env, database, leases, onFault }: Foundation, { content, limits, mailer }: FormsParts) {
  const submissions = createSubmissionRepository(database);
  const recipient = async () => (await content.settings()).contactEmail;
  const isMailed = async () => mailer !== null && (await recipient()) !== '';
  const readAt = env.PUBLIC_URL === undefined ? null : new URL('/library/messages', env.PUBLIC_URL).href;
  const upkeep = createSubmissionUpkeep({ submissions, mailer, recipient, readAt, leases, onFault });
  const forms = createForms({ content, submissions, limits, isMailed, onKept: () => upkeep.wake() });
  return {
    forms,
    upkeep,
    submissions: {
      ...submissions,
      overview: async () => ({
        ...(await submissions.overview()),
        mailsTo: (await isMailed()) ? await recipient() : null,
      }),
    },
  };
}

interface FormsParts {
  readonly content: ContentBackend;
  readonly limits: Limits;
  readonly mailer: Mailer | null;
}

/** The OpenAI-compatible API under `/v1`. */
export function openCompletions(
  { database, watch, onFault }: Foundation,
  { models, settings, calibrations, limits }: CompletionsParts,
): Completions {
  return new Completions({
    models,
    settings: settings.current,
    calibrations,
    rounds: new KeptRounds(createKeptRoundRepository(database), onFault),
    enter: (userId) => limits.enter(userId),
    onFault: (error) => onFault('A completion failed', error),
    onProviderError: watch.providerFailed,
    onSummary: watch.summary,
  });
}

interface CompletionsParts {
  readonly models: ModelRegistry;
  readonly settings: Settings;
  readonly calibrations: Calibrations;
  readonly limits: Limits;
}

/** Our own MCP endpoint. The protocol's package is loaded by the first request: most installations never need it. */
export function lazyMcpEndpoint(
  { onFault }: Foundation,
  { site, tools, settings, callRequests, audit, closing }: McpEndpointParts,
): () => Promise<McpEndpoint> {
  return once(async () => {
    const [{ McpEndpoint }, { ToolCalls }] = await Promise.all([
      import('#server/mcp-endpoint/mcp-endpoint'),
      import('#server/mcp-endpoint/tool-calls'),
    ]);
    return new McpEndpoint({
      calls: new ToolCalls({
        tools,
        settings: settings.current,
        writersIn: (entryId) => site.presence.writersIn(entryId),
        requests: callRequests,
        onSensitiveCall: (caller, tool, target) => audit.record(caller, 'tool-run', { target, details: { tool } }),
        onFault,
      }),
      standing: async (siteId) => {
        await site.standing.refresh(siteId);
        return site.standing.current(siteId);
      },
      onFault,
      closing,
    });
  });
}

interface McpEndpointParts {
  readonly site: Awaited<ReturnType<typeof openSite>>;
  readonly tools: readonly Tool[];
  readonly settings: Settings;
  readonly callRequests: CallRequestStore;
  readonly audit: AuditLog;
  readonly closing: AbortSignal;
}
