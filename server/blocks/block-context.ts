/** Addresses and picture ids of the site that the content belongs to. All functions are pure. */
export interface BlockContext {
  /** An address of our content (`/about`, `/media/...`) as the site writes it. */
  toRemote(href: string): string;
  /** An address of the site's content as ours. */
  toLocal(href: string): string;
  /** The id that the site's library gives a picture, by our address of it; undefined where it is not of the library. */
  mediaId(src: string): number | undefined;
}

/** Addresses stay as they are, and no picture is of a library. */
export const plainContext: BlockContext = {
  toRemote: (href) => href,
  toLocal: (href) => href,
  mediaId: () => undefined,
};
