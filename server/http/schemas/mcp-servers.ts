import { z } from 'zod';
import { mcpServerInput, mcpServerName, mcpTransportInput } from '#server/core/mcp-servers';
import { toolPolicyNames } from '#server/core/settings-report';
import { count, idOf } from '#server/http/schemas/fields';

export const mcpServerParams = z.object({
  id: z.string().regex(/^mcp_[0-9a-z]{26}$/, 'is not the id of a tool server'),
});

export const createMcpServerBody = mcpServerInput;

export const updateMcpServerBody = z
  .strictObject({
    name: mcpServerName.optional(),
    transport: mcpTransportInput.optional(),
    policy: z.enum(toolPolicyNames).optional(),
    isEnabled: z.boolean().optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, 'must change something');

export const testMcpServerBody = z.strictObject({ transport: mcpTransportInput });

/** Without a transport: as it is stored. */
export const retestMcpServerBody = z.strictObject({ transport: mcpTransportInput.optional() }).prefault({});

export const toolServersSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      id: idOf('mcp'),
      name: z.string(),
      transport: z.discriminatedUnion('type', [
        z.strictObject({ type: z.enum(['http', 'sse']), url: z.url(), headers: z.array(z.string()) }),
        z.strictObject({
          type: z.literal('stdio'),
          command: z.string(),
          args: z.array(z.string()),
          env: z.array(z.string()),
        }),
      ]),
      policy: z.enum(toolPolicyNames),
      isEnabled: z.boolean(),
      status: z.enum(['connecting', 'ready', 'failed', 'off']),
      problem: z.string().nullable(),
      since: count,
      tokens: count,
      tools: z.array(
        z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          title: z.string(),
          description: z.string(),
          writes: z.boolean(),
          policy: z.enum(toolPolicyNames),
          isOverridden: z.boolean(),
          tokens: count,
        }),
      ),
    }),
  ),
  tokens: count,
  limit: count,
  canRunPrograms: z.boolean(),
});

export const toolServerTestSchema = z.strictObject({
  ok: z.boolean(),
  latencyMs: count,
  tools: count.nullable(),
  tokens: count.nullable(),
  message: z.string().min(1),
});
