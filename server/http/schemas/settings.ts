import { z } from 'zod';
import { EMBEDDED_SITE } from '#server/core/content';
import { jsonValueSchema } from '#server/core/json';
import { mcpServerInput, mcpServerName, mcpTransportInput } from '#server/core/mcp-servers';
import { connectableIds, providerIds } from '#server/core/provider-words';
import { toolPolicyNames } from '#server/core/settings-report';

/** Settings by name; null resets one. Which names there are and what they may be, the settings know. */
export const settingsPatchBody = z
  .record(z.string().max(100), jsonValueSchema)
  .refine((patch) => Object.keys(patch).length > 0, 'must change something');

export const providerParams = z.object({ id: z.enum(providerIds) });

export const connectableParams = z.object({ id: z.enum(connectableIds) });

/** Body to connect a provider; what is left out stays as it is stored. */
export const connectProviderBody = z.strictObject({
  apiKey: z
    .string()
    .trim()
    .max(1_000)
    .regex(/^[\x21-\x7e]*$/, 'must be one word, without spaces')
    .optional()
    .describe('It is stored encrypted, and never shown again'),
  baseUrl: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(2_000)
    .optional()
    .describe('Of an OpenAI-compatible server'),
  modelId: z.string().min(1).max(200).nullable().default(null).describe('The model to try; null: the recommended one'),
  anyway: z.boolean().default(false).describe('Connect although the model could not use a tool'),
});

const siteId = z.string().regex(/^wps_[0-9a-z]{26}$/, 'is not the id of a connected site');

export const siteParams = z.object({ id: siteId });

const url = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(2000)
  .describe('Address of the site; https:// where no protocol is said');
/** The name and the password are sent with a colon between them. */
const username = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200)
  .regex(/^[^:\p{Cc}]*$/u, 'must hold no colon');
const password = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must be one line')
  .describe('An application password of WordPress');

export const siteConnectionBody = z.strictObject({ url, username, password });

export const siteChangesBody = z
  .strictObject({ username: username.optional(), password: password.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'must change something');

export const activeSiteBody = z.strictObject({ siteId: z.union([z.literal(EMBEDDED_SITE), siteId]) });

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
