import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { jsonValueSchema } from '#server/core/json';
import {
  boundSite,
  IS_ENABLED,
  mcpServerInput,
  mcpServerName,
  mcpTransportInput,
  POLICY,
} from '#server/core/admin/mcp-servers';
import { connectableIds, providerIds } from '#server/core/admin/provider-names';
import { toolPolicyNames } from '#server/core/admin/settings-report';
import { components } from '#server/core/shapes';

/* Requests for the settings: values, model providers, connected sites, tool servers. */

/** Settings by name; null resets one. The settings themselves define which names and values are valid. */
export const settingsPatchBody = boundedRecord(z.string().max(100), jsonValueSchema, 200)
  .refine((patch) => Object.keys(patch).length > 0, valueRules.change)
  .register(components, { id: 'SettingsPatchBody' });

export const providerParams = z.object({ id: z.enum(providerIds) });

export const connectableParams = z.object({ id: z.enum(connectableIds) });

export const learnedWindowQuery = z.object({ modelId: z.string().min(1).max(200) });

/** Body to connect a provider; omitted fields keep their stored values. */
export const connectProviderBody = z
  .strictObject({
    apiKey: z
      .string()
      .trim()
      .max(1_000)
      .regex(/^[\x21-\x7e]*$/, valueRules.oneWord)
      .optional()
      .describe('It is stored encrypted, and never shown again'),
    baseUrl: z
      .string()
      .trim()
      .min(1, valueRules.empty)
      .max(2_000)
      .optional()
      .describe('Of an OpenAI-compatible server'),
    modelId: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('The model to try; null: the recommended one'),
    anyway: z.boolean().default(false).describe('Connect although the model could not use a tool'),
  })
  .register(components, { id: 'ConnectProviderBody' });

const siteId = z.string().regex(/^wps_[0-9a-z]{26}$/, 'is not the id of a connected site');

export const siteParams = z.object({ id: siteId });

const url = z
  .string()
  .trim()
  .min(1, valueRules.empty)
  .max(2000)
  .describe('Address of the site; https:// where no protocol is said');
/** User name of WordPress. Without a colon, because name and password are sent joined by one (RFC 7617). */
const username = z
  .string()
  .trim()
  .min(1, valueRules.empty)
  .max(200)
  .regex(/^[^:\p{Cc}]*$/u, valueRules.colon)
  .describe('User name of WordPress with which this server signs in');
const password = z
  .string()
  .trim()
  .min(1, valueRules.empty)
  .max(200)
  .regex(/^\P{Cc}*$/u, valueRules.oneLine)
  .describe('An application password of WordPress');

const proxy = z
  .string()
  .trim()
  .max(400)
  .regex(/^(?:[^:\p{Cc}]+:[^\p{Cc}]+)?$/u, valueRules.namePassword)
  .describe('What the web server asks for before WordPress, as `name:password`; empty: nothing');

/** Connects a WordPress site. */
export const siteConnectionBody = z
  .strictObject({ url, username, password, proxy: proxy.optional() })
  .register(components, { id: 'SiteConnectionBody' });

/** Changes the credentials of a connected site. */
export const siteChangesBody = z
  .strictObject({ username: username.optional(), password: password.optional(), proxy: proxy.optional() })
  .refine((changes) => Object.keys(changes).length > 0, valueRules.change)
  .register(components, { id: 'SiteChangesBody' });

/** Selects the default site, which visitors see. */
export const activeSiteBody = z
  .strictObject({
    siteId: z
      .union([z.literal(EMBEDDED_SITE), siteId])
      .describe('Id of the site that visitors see below /site: `embedded`, or that of a connected site'),
  })
  .register(components, { id: 'ActiveSiteBody' });

export const mcpServerParams = z.object({
  id: z.string().regex(/^mcp_[0-9a-z]{26}$/, 'is not the id of a tool server'),
});

export const createMcpServerBody = mcpServerInput;

export const updateMcpServerBody = z
  .strictObject({
    name: mcpServerName.optional(),
    transport: mcpTransportInput.optional(),
    policy: z.enum(toolPolicyNames).optional().describe(POLICY),
    isEnabled: z.boolean().optional().describe(IS_ENABLED),
    siteId: boundSite.optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, valueRules.change)
  .register(components, { id: 'ToolServerChangesBody' });

export const testMcpServerBody = z
  .strictObject({ transport: mcpTransportInput })
  .register(components, { id: 'ToolServerTestBody' });

/** Tests a stored tool server. Without a transport: with the stored one. */
export const retestMcpServerBody = z
  .strictObject({ transport: mcpTransportInput.optional() })
  .prefault({})
  .register(components, { id: 'ToolServerRetestBody' });
