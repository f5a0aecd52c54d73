import { z } from 'zod';

/** Screens that the preview can pretend to have; `fit` takes the width that is there. */
export const previewDevices = ['fit', 'desktop', 'tablet', 'phone'] as const;
export type PreviewDevice = (typeof previewDevices)[number];

const schema = z.object({
  sidebarOpen: z.boolean(),
  previewOpen: z.boolean(),
  /** Width of the preview, percent of what chat and preview share. */
  previewWidth: z.number().min(25).max(75),
  previewDevice: z.enum(previewDevices).default('fit'),
});

/** Layout of the desk; kept in a cookie so that the first paint is already right. */
export type LayoutPreferences = z.infer<typeof schema>;

export const LAYOUT_COOKIE = 'throughline-layout';
export const defaultLayout: LayoutPreferences = {
  sidebarOpen: true,
  previewOpen: true,
  previewWidth: 50,
  previewDevice: 'fit',
};

const ONE_YEAR_SECONDS = 31_536_000;

/** Reads the cookie's value; anything unreadable means the defaults. */
export function parseLayout(value: string | undefined): LayoutPreferences {
  if (value === undefined) return defaultLayout;
  try {
    return schema.parse(JSON.parse(decodeURIComponent(value)));
  } catch {
    return defaultLayout;
  }
}

/** The cookie that stores an arrangement, for `document.cookie`. */
export function layoutCookie(layout: LayoutPreferences): string {
  const value = encodeURIComponent(JSON.stringify(layout));
  return `${LAYOUT_COOKIE}=${value}; path=/; max-age=${String(ONE_YEAR_SECONDS)}; samesite=lax`;
}

/** Keeps a width within what both sides can live with. */
export function clampPreviewWidth(percent: number): number {
  return Math.round(Math.min(75, Math.max(25, percent)));
}
