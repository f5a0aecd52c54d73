/** Addresses and picture ids of the site that the content belongs to. All functions are pure. */
export interface BlockContext {
  /** Language tag of the site (BCP 47), for names of weekdays. */
  readonly language: string;
  /** Converts a local address (`/about`, `/media/...`) to the address on the WordPress site. */
  toRemote(href: string): string;
  /** Converts an address on the WordPress site to the local address; other addresses stay unchanged. */
  toLocal(href: string): string;
  /** The id of a picture in the WordPress library, by its local address; undefined if it is not in the library. */
  mediaId(src: string): number | undefined;
}

/** A context that does not convert addresses and knows no library pictures. */
export const plainContext: BlockContext = {
  language: 'en',
  toRemote: (href) => href,
  toLocal: (href) => href,
  mediaId: () => undefined,
};
