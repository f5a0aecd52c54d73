/**
 * Screen sizes that the preview can simulate. `fit` uses the available width; `full` is a desktop at its full size, which
 * scrolls sideways where the preview is narrower; the others are made smaller there.
 */
export const previewDevices = ['fit', 'full', 'desktop', 'tablet', 'phone'] as const;
/** A screen size that the preview can simulate. */
export type PreviewDevice = (typeof previewDevices)[number];

/**
 * Rendering of a connected site's pages: by their CMS with its theme, or by this app, where texts can be edited in
 * place.
 */
export const previewThemes = ['theirs', 'ours'] as const;
/** A rendering of a connected site's pages. */
export type PreviewTheme = (typeof previewThemes)[number];

/** Limits for the width of the preview, in percent of the width that chat and preview share. */
export const MIN_PREVIEW_WIDTH = 25;
/** Largest width; see MIN_PREVIEW_WIDTH. */
export const MAX_PREVIEW_WIDTH = 75;

/** The cookie that stores the layout of the workspace. */
export const LAYOUT_COOKIE = 'throughline-layout';

/** Limits a width so that both chat and preview stay usable. */
export function clampPreviewWidth(percent: number): number {
  return Math.round(Math.min(MAX_PREVIEW_WIDTH, Math.max(MIN_PREVIEW_WIDTH, percent)));
}
