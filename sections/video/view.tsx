import { Picture, withPictureSizes } from '#components/content/picture';
import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import type { SiteContext } from '#components/content/site-context.ts';
import { isReadableAddress } from '#server/core/addresses';
import { type Video, videoAt } from '#server/core/sections/video-player';
import { escapeAttribute } from '#server/markup/write-html';

const FILL = 'position:absolute;inset:0;width:100%;height:100%';
/** A triangle in a circle. It keeps its colours in the dark, because it is always on the poster. */
const PLAY = `<svg viewBox="0 0 80 80" width="80" height="80" aria-hidden="true" style="position:absolute;inset:0;margin:auto"><circle cx="40" cy="40" r="39" fill="#000" fill-opacity=".72" stroke="#fff" stroke-width="2"/><path d="M32 25v30l26-15z" fill="#fff"/></svg>`;

interface PosterProps {
  readonly video: Video;
  /** Accessible name of the button that plays the video. */
  readonly label: string;
  /** Address of the picture; undefined: there is none. */
  readonly image: string | undefined;
  readonly site: SiteContext;
}

/**
 * The document in the frame before the video plays: the poster as a link to the player, which opens in the same frame.
 * No script runs, and nothing is requested from the service before the visitor follows the link.
 */
function posterDocument({ video, label, image, site }: PosterProps): string {
  const isShown = image !== undefined && isReadableAddress(image);
  const poster = isShown
    ? withPictureSizes(`<img src="${escapeAttribute(image)}" alt="" style="${FILL};object-fit:cover">`, site)
    : '';
  const link = `<a href="${escapeAttribute(video.player)}" aria-label="${escapeAttribute(label)}" style="${FILL};outline-offset:-6px">${poster}${PLAY}</a>`;
  return `<!doctype html><html lang="${escapeAttribute(site.language)}"><meta charset="utf-8"><title>${escapeAttribute(label)}</title><body style="margin:0;background:#1d1b19">${link}</body></html>`;
}

/** A video: its poster, and on a click its player; where no player may be loaded, a link to the video. */
function Content({ fields, site, mark }: SectionProps<'video'>) {
  const { heading, href, title, image, caption, layout } = fields;
  const video = videoAt(href);
  if (video === null) {
    return (
      <>
        <SectionHeading heading={heading} mark={mark} />
        <p className="site-video-missing" {...mark('href')} />
      </>
    );
  }
  const { origin } = new URL(video.player);
  const label = site.texts.playVideo.replace('{title}', () => title).replace('{service}', () => video.service);
  return (
    <>
      <SectionHeading heading={heading} mark={mark} />
      <figure className="site-video" data-layout={layout}>
        {site.hasPlayers ? (
          // oxlint-disable-next-line react/iframe-missing-sandbox -- Players need scripts and the storage of their origin. The poster runs none: it has the policy of the page.
          <iframe
            srcDoc={posterDocument({ video, label, image, site })}
            title={title}
            data-player={origin}
            // Without an origin only this page's own would be allowed, and the frame shows the service's after the click.
            allow={`autoplay ${origin}; fullscreen ${origin}; picture-in-picture ${origin}`}
          />
        ) : (
          <a href={video.page} aria-label={label} {...mark('href')}>
            {image !== undefined && <Picture src={image} alt="" place="page" site={site} mark={mark('image')} />}
            <span dangerouslySetInnerHTML={{ __html: PLAY }} />
          </a>
        )}
        <figcaption>
          {caption !== undefined && <span {...mark('caption', 'line')}>{caption} </span>}
          <span>{site.texts.videoNote.replace('{service}', () => video.service)}</span>
        </figcaption>
      </figure>
    </>
  );
}

export const videoView: SectionDisplay<'video'> = {
  Content,
  isHidden: ({ href }) => videoAt(href) === null,
  pictures: ({ image }) => [image],
};
