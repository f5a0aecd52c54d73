import { renderToStaticMarkup } from 'react-dom/server';
import '#components/content/site.css';
import { SiteScreen, type SiteScreenProps } from '#components/content/site-screen';
import { PreviewComments } from '#components/content/preview-comments';
import { siteTexts } from '#server/core/messages/site-texts';
import { HeadTags, type PageAbove } from '#components/content/head-tags';

/** Everything that a page of the published site on its own host shows. */
export interface SiteDocumentInput extends Pick<
  SiteScreenProps,
  'settings' | 'navigation' | 'design' | 'posts' | 'pictures' | 'page' | 'forms'
> {
  /** True if the page at the path was deleted. */
  readonly isGone: boolean;
  /** Path on the site: `/about/team`; empty if no page exists there. */
  readonly path: string;
  /** Address of the site without a trailing slash: `https://example.org`. */
  readonly address: string;
  /** Pages above this one, the start page first. */
  readonly above: readonly PageAbove[];
  /** Path of the style sheet. */
  readonly stylesheet: string;
  /** Path of the style sheet with the fonts of the design. Default: those of `stylesheet`. */
  readonly fontStylesheet?: string;
  /** Paths of the fonts that every page uses. */
  readonly fonts: readonly string[];
  /**
   * `draft`: the draft of a preview link, which says that it is one. `ended`: the page for links that do not work.
   * Search engines must not show either. Default: a page for visitors.
   */
  readonly preview?: 'draft' | 'ended';
}

/** The whole HTML document of a page, without scripts. */
function SiteDocument({
  path,
  address,
  above,
  stylesheet,
  fontStylesheet,
  fonts,
  isGone,
  preview,
  ...shown
}: SiteDocumentInput) {
  const { settings, page } = shown;
  const texts = siteTexts(settings.language);
  const missing = preview === 'ended' ? texts.previewLink.ended : isGone ? texts.gone : undefined;
  return (
    <html lang={settings.language}>
      {/* oxlint-disable-next-line nextjs/no-head-element -- Next has no part in this document. */}
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {preview === undefined ? (
          <HeadTags settings={settings} texts={texts} page={page} path={path} address={address} above={above} />
        ) : (
          <>
            <title>{page?.kind === 'entry' ? page.entry.document.title : texts.previewLink.ended.heading}</title>
            <meta name="robots" content="noindex, nofollow, noarchive" />
          </>
        )}
        {fonts.map((font) => (
          <link key={font} rel="preload" href={font} as="font" type="font/woff2" crossOrigin="" />
        ))}
        <link rel="stylesheet" href={stylesheet} />
        {fontStylesheet !== undefined && <link rel="stylesheet" href={fontStylesheet} />}
        <IconLinks hasDesign={shown.design !== null} />
        <link
          rel="alternate"
          href="/feed.xml"
          type="application/rss+xml"
          title={texts.feed.replace('{site}', () => settings.siteName)}
        />
      </head>
      <body>
        <SiteScreen
          {...shown}
          {...(missing && { missing })}
          root=""
          segments={path.split('/').filter(Boolean)}
          hasPlayers={preview === undefined}
        />
        {preview === 'draft' && page?.kind === 'entry' && (
          <PreviewComments sections={page.entry.document.sections} texts={texts.previewLink.comments} />
        )}
        {preview === 'draft' && (
          <p className="site-badge" role="note">
            {texts.previewLink.badge}
          </p>
        )}
      </body>
    </html>
  );
}

/** Links to the icon of the site: in several sizes once it has a design. */
function IconLinks({ hasDesign }: { readonly hasDesign: boolean }) {
  if (!hasDesign)
    return (
      <>
        <link rel="icon" href="/favicon.png" type="image/png" />
        <link rel="apple-touch-icon" href="/favicon.png" />
      </>
    );
  return (
    <>
      <link rel="icon" href="/favicon-32.png" type="image/png" sizes="32x32" />
      <link rel="icon" href="/favicon-512.png" type="image/png" sizes="512x512" />
      <link rel="apple-touch-icon" href="/favicon-180.png" />
    </>
  );
}

/** Renders a page of the published site as a complete HTML document. */
export function renderSiteDocument(input: SiteDocumentInput): string {
  return `<!doctype html>${renderToStaticMarkup(<SiteDocument {...input} />)}`;
}
