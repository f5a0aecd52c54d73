import type { FetchPicture, PreparePicture } from '#server/core/site/prepared-picture';

/** What the content of every site, built-in or connected, is created with. */
export interface ContentSetup {
  /** Measures text that every request will contain. Default: one token per three bytes. */
  countTokens?(this: void, text: string): number;
  /** Without it, the site has no media library. */
  readonly preparePicture?: PreparePicture;
  /** Without it, pictures cannot be fetched from other servers. */
  readonly fetchPicture?: FetchPicture;
  /**
   * Throws for an address that `fetchPicture` would refuse regardless of its content. Default: no address is refused.
   */
  checkAddress?(this: void, address: string): void;
}
