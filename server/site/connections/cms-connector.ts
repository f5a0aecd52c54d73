import type { ServerText } from '#server/core/coded-message';
import type { SiteTest } from '#server/core/site/remote-site';
import type { StoredWordPressSite } from '#server/wordpress/store/wordpress-site-repository';
import type { ConnectedContent } from '#server/site/connected-content';

/* What `Sites` needs of a kind of CMS to connect its sites. */

/** Address and credentials of a connected site. */
export interface SiteConnection {
  readonly url: string;
  readonly username: string;
  /** An application password. */
  readonly password: string;
  /** `name:password` for the web server in front of WordPress; null, empty or absent: the web server requires none. */
  readonly proxy?: string | null | undefined;
}

/** Changes to a connection; an omitted value does not change. */
export interface SiteChanges {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Empty: the web server no longer requires a password. */
  readonly proxy?: string | undefined;
}

/** A kind of CMS whose sites can be connected. */
export interface CmsConnector {
  /**
   * Converts the address that an administrator typed into the stored form.
   * @throws InvalidInputError with a sentence for that person
   */
  readonly address: (typed: string) => string;
  /**
   * Creates the CMS adapter of a site without sending a request.
   * @param onFault receives why the site could not be reached, and null when it answers again
   */
  readonly open: (
    site: SiteConnection & Pick<StoredWordPressSite, 'id' | 'abilities'>,
    onFault: (reason: ServerText | null) => void,
  ) => ConnectedContent;
  /** Connects once. Faults of the site are returned, not thrown. */
  readonly test: (connection: SiteConnection) => Promise<SiteTest>;
}
