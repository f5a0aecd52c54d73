import type { AuditLog } from '#server/platform/auth/audit-log';
import type { Limits } from '#server/platform/auth/limits';
import { Completions } from '#server/integrations/openai/completions';
import { CompactionCache } from '#server/integrations/openai/compaction-cache';
import { canRunPrograms } from '#server/platform/config/env';
import type { ContentBackend } from '#server/site/content-backend';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import type { CallRequestStore } from '#server/core/conversation/pending-approvals';
import { once } from '#server/core/async';
import { createForms } from '#server/site/forms/forms';
import { SubmissionDelivery } from '#server/site/forms/submission-delivery';
import type { Mailer } from '#server/platform/mail/mailer';
import { McpServers } from '#server/integrations/mcp-client/mcp-servers';
import type { McpEndpoint } from '#server/integrations/mcp-server/mcp-endpoint';
import type { ProcessContext } from '#server/platform/process-context';
import { sealStored } from '#server/services/foundation';
import type { Site } from '#server/services/site';
import type { Settings } from '#server/settings/settings';
import { createCompactionCacheRepository } from '#server/integrations/openai/compaction-cache-repository';
import { createMcpServerRepository } from '#server/integrations/mcp-client/mcp-server-repository';
import { createSubmissionRepository } from '#server/site/store/submission-repository';
import type { Tool } from '#server/tools/tool';

/* Opens the features at the edge of the server, one function each. The rest of the code knows nothing about their internals. */

/** External MCP servers whose tools are offered in addition to ours. */
export async function openToolServers({
  env,
  database,
  secretBox,
  signals,
  leases,
  onFault,
}: ProcessContext): Promise<McpServers> {
  const store = createMcpServerRepository(database, secretBox);
  await sealStored(store, onFault);
  const programs = { variables: process.env, canRunPrograms: canRunPrograms(env) };
  return McpServers.load({ store, signals, leases, ...programs, onFault });
}

/** Forms of the built-in site: what visitors send is stored, and mailed if a mail server is set. */
export function openForms({ env, database, leases, onFault }: ProcessContext, { content, limits, mailer }: FormsParts) {
  const submissions = createSubmissionRepository(database);
  const readAt = env.PUBLIC_URL === undefined ? null : new URL('/library/messages', env.PUBLIC_URL).href;
  const delivery = new SubmissionDelivery({ submissions, content, mailer, readAt, leases, onFault });
  return {
    forms: createForms({ content, submissions, limits, delivery }),
    upkeep: delivery,
    submissions: {
      ...submissions,
      overview: async () => ({
        ...(await submissions.overview()),
        mailsTo: await delivery.recipient(),
      }),
    },
  };
}

/** What forms need besides the process. */
interface FormsParts {
  readonly content: ContentBackend;
  readonly limits: Limits;
  readonly mailer: Mailer | null;
}

/** The OpenAI-compatible API under `/v1`. */
export function openCompletions(context: ConversationContext): Completions {
  const rounds = new CompactionCache(createCompactionCacheRepository(context.database), context.onFault);
  return new Completions(context, rounds);
}

/**
 * Our own MCP endpoint. The package of the protocol is loaded by the first request, because most installations never
 * need it.
 */
export function lazyMcpEndpoint(
  { onFault, closing }: ProcessContext,
  { site, tools, settings, callRequests, audit }: McpEndpointParts,
): () => Promise<McpEndpoint> {
  return once(async () => {
    const [{ McpEndpoint }, { ToolCalls }] = await Promise.all([
      import('#server/integrations/mcp-server/mcp-endpoint'),
      import('#server/integrations/mcp-server/tool-calls'),
    ]);
    return new McpEndpoint({
      calls: new ToolCalls({
        tools,
        settings,
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

/** What the endpoint needs besides the process. */
interface McpEndpointParts {
  readonly site: Site;
  readonly tools: readonly Tool[];
  readonly settings: Settings;
  readonly callRequests: CallRequestStore;
  readonly audit: AuditLog;
}
