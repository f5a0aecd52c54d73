import { z } from 'zod';
import { type Shape, components } from '#server/core/shapes';

/** Capabilities of the CMS adapter; tools and screens omit what is missing. */
export const capabilitiesSchema = z
  .strictObject({
    backend: z.string().min(1).describe('`embedded`, `wordpress`, '),
    drafts: z.boolean().describe('Keeps a draft in addition to the published version'),
    trash: z.boolean().describe('Deleted entries and pictures can be restored'),
    versions: z.boolean().describe('Lists earlier states of an entry, and restores them'),
    undo: z.boolean().describe('Undoes a single change, even if other parts were changed later'),
    hierarchy: z.boolean().describe('Pages can have a parent'),
    tags: z.boolean().describe('Entries have tags'),
    seo: z.boolean().describe('Entries have texts for search engines'),
    redirects: z.boolean().describe('Redirects a former address to the current one'),
    navigation: z.boolean().describe('The menu can be changed'),
    settings: z.boolean().describe('The settings of the site can be changed'),
    design: z.boolean().describe('It has a design that can be changed here'),
    assets: z.boolean().describe('It has a media library'),
    scheduling: z.boolean().describe('Supports scheduled publication'),
    preconditions: z.boolean().describe('The CMS itself refuses a write if the entry has changed since (`ifRevision`)'),
  })
  .describe('What the CMS of the site can do')
  .register(components, { id: 'Capabilities' });
export type SiteCapabilities = Shape<typeof capabilitiesSchema>;
