import { z } from 'zod';
import { components, idOf, listOf, type Shape, time } from '#server/core/shapes';

/* Links that show the draft of one entry to people without an account. */

/** Choices for the days for which a link works. */
export const previewLinkDays = [1, 7, 30] as const;
export type PreviewLinkDays = (typeof previewLinkDays)[number];
export const DEFAULT_PREVIEW_LINK_DAYS: PreviewLinkDays = 7;

/** A link, without its address: that is known only to whoever received it. */
const previewLinkSchema = z
  .strictObject({
    id: idOf('lnk'),
    createdBy: z.string().nullable().describe('Name of the person who created it; null in local mode'),
    createdAt: time,
    expiresAt: time,
  })
  .describe('A link that shows the draft of an entry to people without an account')
  .register(components, { id: 'PreviewLink' });
export type PreviewLink = Shape<typeof previewLinkSchema>;

/** The links of an entry that work at present, newest first. */
export const previewLinkListSchema = listOf(previewLinkSchema).register(components, { id: 'PreviewLinkList' });

/** A new link. */
export const newPreviewLinkSchema = z
  .strictObject({
    link: previewLinkSchema,
    url: z.string().describe('Address that shows the draft to anybody who has it; it is not shown again'),
  })
  .register(components, { id: 'NewPreviewLink' });

/** Path below which the drafts of preview links are shown. */
export const PREVIEW_LINK_ROOT = '/shared';
