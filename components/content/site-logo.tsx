import type { SiteAddresses } from '#components/content/site-context.ts';
import type { Design } from '#server/core/site/design/design';
import { pictureSource, shownSize } from '#server/core/site/pictures';

interface SiteLogoProps {
  readonly design: Design;
  /** Name of the site, which the logo stands for. */
  readonly name: string;
  readonly site: SiteAddresses;
}

/** Size of a logo whose real size is unknown; pixels. */
const ASSUMED_SIZE = { width: 320, height: 88 };

/** The logo of the site; the one for the dark appearance where the page is dark. */
export function SiteLogo({ design: { logo, appearance }, name, site }: SiteLogoProps) {
  const dark = logo.dark === '' ? logo.light : logo.dark;
  const shown = appearance === 'dark' ? dark : logo.light;
  const { address, assetId } = pictureSource(shown);
  const facts = assetId === null ? undefined : site.pictures[assetId];
  const size = facts === undefined ? ASSUMED_SIZE : shownSize(facts, null);
  return (
    <picture>
      {appearance === 'auto' && dark !== logo.light && (
        <source media="(prefers-color-scheme: dark)" srcSet={pictureSource(dark).address} />
      )}
      <img className="site-logo" src={address} alt={name} {...size} />
    </picture>
  );
}
