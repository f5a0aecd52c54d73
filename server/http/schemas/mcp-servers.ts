import { z } from 'zod';
import { mcpServerInput, mcpServerName, mcpTransportInput } from '#server/core/mcp-servers';
import { toolPolicyNames } from '#server/core/settings-report';

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
