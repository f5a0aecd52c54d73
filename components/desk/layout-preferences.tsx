/** Screens that the preview can pretend to have; `fit` takes the width that is there. */
export const previewDevices = ['fit', 'desktop', 'tablet', 'phone'] as const;
export type PreviewDevice = (typeof previewDevices)[number];

/** Look of a connected site's pages: as their CMS shows them with its theme, or ours, where texts are written in place. */
export const previewLooks = ['theirs', 'ours'] as const;
export type PreviewLook = (typeof previewLooks)[number];

/** Width of the preview, percent of what chat and preview share. */
export const MIN_PREVIEW_WIDTH = 25;
export const MAX_PREVIEW_WIDTH = 75;

/** The cookie that keeps the layout of the desk. */
export const LAYOUT_COOKIE = 'throughline-layout';

/** Keeps a width within what both sides can live with. */
export function clampPreviewWidth(percent: number): number {
  return Math.round(Math.min(MAX_PREVIEW_WIDTH, Math.max(MIN_PREVIEW_WIDTH, percent)));
}
