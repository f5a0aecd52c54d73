import type { ContentBackend } from '#server/site/content-backend';
import { partsOf, Site } from '#server/site/site';

/**
 * A site for code that keeps a reference to it although the connection may be renewed or the site disconnected later. Each
 * call goes to the adapter that is current when it starts.
 */
export class CurrentSite extends Site {
  readonly #present: () => ContentBackend;
  #drafts: CurrentSite | undefined;

  /** @param present returns the current adapter; may throw, and so do the calls then */
  constructor(present: () => ContentBackend) {
    super(() => partsOf(present()));
    this.#present = present;
  }

  override draftsOnly(): ContentBackend {
    return (this.#drafts ??= new CurrentSite(() => this.#present().draftsOnly()));
  }
}
