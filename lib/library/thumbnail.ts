import type { Asset } from '#server/core/content';

/** The small picture as it is now: after a replacement the page must not go on showing the former one. */
export function thumbnailOf({ thumbnailUrl, version }: Asset): string {
  return `${thumbnailUrl}&v=${version}`;
}
