import {
  type CacheHint,
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Tool as ToolDescription,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server';
import packageJson from '#package.json' with { type: 'json' };
import { createContentResources } from '#server/integrations/mcp-server/content-resources';
import { describePrompts, fillPrompt, requirePrompt } from '#server/integrations/mcp-server/prompts';
import { outputSchemaOf } from '#server/integrations/mcp-server/result-shapes';
import type { FaultLog } from '#server/core/process';
import { NotFoundError, ThroughlineError } from '#server/core/errors';
import { jsonValueSchema } from '#server/core/json';
import type { Principal } from '#server/core/admin/access-rights';
import {
  DecisionNeeded,
  type IncomingCall,
  type RequestedSite,
  type ToolCalls,
} from '#server/integrations/mcp-server/tool-calls';
import { readView, viewMeta, viewResource, VIEWS_EXTENSION } from '#server/integrations/mcp-server/views';
import { defineAlone, type Tool } from '#server/tools/tool';

export interface CallerServerOptions extends FaultLog {
  /** Runs the calls of tools. */
  readonly calls: ToolCalls;
  /** A site's standing instructions in the form that models read; empty if it has none. */
  readonly standing: (siteId: string) => Promise<string>;
}

/** Who sent a request, and what its client can do. */
export interface CallerFacts extends Pick<IncomingCall, 'decideAt' | 'canOpenPages' | 'showsViews'> {
  readonly caller: Principal;
  readonly site: RequestedSite;
  /** True if progress can be sent before the result. */
  readonly isStream: boolean;
  /** `modern`: revision 2026-07-28 and later, without sessions. `legacy`: revisions that begin with `initialize`. */
  readonly era: 'modern' | 'legacy';
}

const SERVER = { name: 'throughline', title: 'Throughline', version: packageJson.version };

/** Maximum characters of an unknown address that are sent back. */
const MAX_URI = 2_000;

/** Instructions for the assistant that uses the tools. */
const GUIDE = [
  'Tools to read and edit a website: its pages, posts, pictures, menu and settings.',
  'Edits go into drafts; publish_content puts them on the site.',
  'Some calls wait for a person of the site to agree: tell your user where, and make the same call again afterwards.',
  'Pictures are added by their https address.',
].join(' ');

/**
 * How long clients may keep a list that only changes with the settings or the version: as long as a person who has
 * changed a setting may wait for it to take effect. Lists of content are not kept (2026-07-28, "Caching").
 */
const KEPT: CacheHint = { ttlMs: 60_000, cacheScope: 'private' };

/** A server of the SDK that answers one request of one caller. */
export async function createCallerServer(options: CallerServerOptions, facts: CallerFacts): Promise<McpServer> {
  const { calls, onFault } = options;
  const { caller, site, decideAt, canOpenPages, showsViews } = facts;
  const resources = createContentResources(site.content);
  const product = new McpServer(SERVER, {
    instructions: await instructionsFor(options, site),
    cacheHints: {
      'server/discover': KEPT,
      'tools/list': KEPT,
      'prompts/list': KEPT,
      'resources/templates/list': KEPT,
    },
  });
  const { server } = product;
  // As options they would be declared with `listChanged`: no such notice is sent, because no connection stays open.
  const extensions = showsViews ? { extensions: { [VIEWS_EXTENSION]: {} } } : {};
  server.registerCapabilities({ tools: {}, resources: {}, prompts: {}, completions: {}, ...extensions });
  server.setRequestHandler('tools/list', ({ params }) => {
    requireNoCursor(params?.cursor);
    const offered = calls.offered(caller);
    return { tools: offered.map((tool) => ({ ...describeTool(tool), ...(showsViews && viewMeta(tool)) })) };
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken;
    let progress = 0;
    const reportProgress =
      token === undefined || !facts.isStream
        ? null
        : (text: string) =>
            mcpReq.notify({
              method: 'notifications/progress',
              params: { progressToken: token, progress: (progress += 1), message: text },
            });
    const input = jsonValueSchema.parse(params.arguments ?? {});
    const place = { site, decideAt, canOpenPages, showsViews };
    const call = { ...place, toolName: params.name, input, signal: mcpReq.signal, reportProgress };
    return openingPages(facts.era, () => calls.call(caller, call));
  });
  server.setRequestHandler('resources/list', ({ params }) =>
    withProtocolErrors(onFault, async () => {
      const listed = await resources.list(params?.cursor);
      const isFirst = params?.cursor === undefined;
      return showsViews && isFirst ? { ...listed, resources: [viewResource, ...listed.resources] } : listed;
    }),
  );
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    requireNoCursor(params?.cursor);
    return { resourceTemplates: [resources.template] };
  });
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    withProtocolErrors(onFault, async () => {
      try {
        return readView(uri) ?? (await resources.read(uri));
      } catch (error) {
        if (error instanceof NotFoundError) throw new ResourceNotFoundError(uri.slice(0, MAX_URI), error.message);
        throw error;
      }
    }),
  );
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    withProtocolErrors(onFault, async () => {
      const isId = ref.type === 'ref/resource' && ref.uri === resources.template.uriTemplate && argument.name === 'id';
      if (ref.type === 'ref/prompt') requirePrompt(ref.name, calls.offered(caller));
      // Of arguments that have no suggestions the answer is empty, not an error: clients ask for each of them.
      return isId ? resources.complete(argument.value) : { completion: { values: [] } };
    }),
  );
  server.setRequestHandler('prompts/list', ({ params }) => {
    requireNoCursor(params?.cursor);
    return { prompts: describePrompts(calls.offered(caller)) };
  });
  server.setRequestHandler('prompts/get', ({ params }) =>
    withProtocolErrors(onFault, async () => {
      const waiting = await calls.waiting(caller, site.siteId);
      return fillPrompt(params, calls.offered(caller), { decideAt, waiting });
    }),
  );
  return product;
}

async function instructionsFor({ standing }: CallerServerOptions, { siteId }: RequestedSite): Promise<string> {
  const rules = await standing(siteId);
  return rules === '' ? GUIDE : `${GUIDE}\n\n${rules}`;
}

/**
 * Runs a call, and asks the client to open a page for its user if a person has to decide there: as a result that needs
 * input (2026-07-28, "Multi Round-Trip Requests"), or as error -32042 (2025-11-25, client/elicitation, "URL
 * Elicitation Required Error"). Both repeat the call, which then finds the decision, so no state is kept here.
 * @throws UrlElicitationRequiredError
 */
async function openingPages(
  era: CallerFacts['era'],
  call: () => Promise<CallToolResult>,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof DecisionNeeded)) throw error;
    const { requestId, url, question } = error;
    if (era === 'modern')
      return inputRequired({ inputRequests: { decision: inputRequired.elicitUrl({ message: question, url }) } });
    const elicitation = { mode: 'url' as const, elicitationId: requestId, url, message: question };
    throw new UrlElicitationRequiredError([elicitation], error.message);
  }
}

/** Runs `work` and converts its errors. @throws ProtocolError that describes the caller's mistake, or a general one */
async function withProtocolErrors<T>(onFault: FaultLog['onFault'], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof ThroughlineError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    onFault('A request over MCP failed', error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong on our side.');
  }
}

/**
 * Refuses the cursor of another list, for lists that are sent whole (2025-11-25, "Pagination", "Error
 * Handling").
 * @throws ProtocolError
 */
function requireNoCursor(cursor: string | undefined): void {
  if (cursor !== undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This cursor is not valid. Start again without one.');
}

/** Tools that may connect to addresses outside the site (`openWorldHint`). */
const OPEN_WORLD_TOOLS: ReadonlySet<string> = new Set(['add_media']);

/**
 * Description of a tool for other assistants. `destructiveHint` marks calls that need approval: all others change only
 * drafts and can be undone.
 */
function describeTool(tool: Tool): ToolDescription {
  const { name, description, inputSchema } = defineAlone(tool);
  const title = titleOf(name);
  const outputSchema = outputSchemaOf(name);
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: {
      title,
      readOnlyHint: !tool.writes,
      destructiveHint: tool.writes === true && (tool.policy === 'ask' || tool.asks !== undefined),
      idempotentHint: !tool.writes,
      openWorldHint: OPEN_WORLD_TOOLS.has(name),
    },
  };
}

/** Display name of a tool: of `publish_content`, "Publish content". */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
