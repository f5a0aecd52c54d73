import { z } from 'zod';
import type { Shape } from '#server/core/shapes';

/** Capabilities of the CMS adapter; tools and screens omit what is missing. */
export const capabilitiesSchema = z.strictObject({
  /** `embedded`, `wordpress`, ... */
  backend: z.string().min(1),
  /** Keeps a draft in addition to the published version. */
  drafts: z.boolean(),
  trash: z.boolean(),
  /** Lists earlier states of an entry, and restores them. */
  versions: z.boolean(),
  /** Undoes a single change, even if other parts were changed later. */
  undo: z.boolean(),
  /** Pages can have a parent. */
  hierarchy: z.boolean(),
  tags: z.boolean(),
  seo: z.boolean(),
  /** Redirects a former address to the current one. */
  redirects: z.boolean(),
  navigation: z.boolean(),
  settings: z.boolean(),
  assets: z.boolean(),
  /** Supports scheduled publication. */
  scheduling: z.boolean(),
  /** The CMS itself refuses a write if the entry has changed since (`ifRevision`). */
  preconditions: z.boolean(),
});
export type SiteCapabilities = Shape<typeof capabilitiesSchema>;
