import { z } from 'zod';
import { toolPolicyNames } from '#server/core/tool-policies';
import { count, idOf } from '#server/http/schemas/answers/fields';

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
