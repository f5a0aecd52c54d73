import type { CSSProperties } from 'react';
import type { MarkField } from '#components/content/text/field-marks';
import { isDraftRoot, type SiteContext, type SiteRoot } from '#components/content/text/site-href';
import {
  type Crop,
  type Focus,
  pictureFormats,
  type PictureFacts,
  pictureSource,
  servedWidths,
  shownSize,
  variantAddress,
} from '#server/core/pictures';

/** Places of pictures, and how wide they are there, as `sizes` has it: a browser chooses before it knows the styles. */
const SIZES = {
  /** For a picture as wide as the page. */
  page: '(min-width: 80rem) 72rem, 92vw',
  /** Beside words, or below them on narrow screens. */
  half: '(min-width: 80rem) 34rem, (min-width: 56rem) 45vw, 92vw',
  /** One of several beside each other. */
  column: '(min-width: 80rem) 23rem, (min-width: 40rem) 45vw, 92vw',
  /** In running text. */
  text: '(min-width: 50rem) 44rem, 92vw',
} as const;

/** Pictures of GIF move, and are served as they are. */
const MOVING = 'image/gif';
/** Size assumed for external pictures, whose own is unknown. */
const USUAL = { width: 1_200, height: 800 };

interface PictureProps {
  readonly src: string;
  readonly alt: string;
  readonly place: keyof typeof SIZES;
  readonly site: Pick<SiteContext, 'root' | 'pictures'>;
  /**
   * True for a picture that is seen at once: it is loaded before all else. Default: it is loaded when it is scrolled
   * to.
   */
  readonly isFirst?: boolean;
  readonly mark?: ReturnType<MarkField>;
}

/**
 * A picture of the site. One of the media library comes in five widths and two formats, of which the browser takes what
 * fits; its part that is shown, and the point that matters, are in its address.
 */
export function Picture({ src, alt, place, site, isFirst = false, mark }: PictureProps) {
  const { address, assetId, crop, focus } = pictureSource(src);
  const facts = assetId === null ? undefined : site.pictures[assetId];
  const loading = isFirst ? ({ fetchPriority: 'high' } as const) : ({ loading: 'lazy', decoding: 'async' } as const);
  const style = focusStyle(focus, crop);
  const common = { ...loading, ...(style && { style }), ...mark };
  if (facts === undefined || facts.mediaType === MOVING) {
    return <img src={address} alt={alt} {...common} {...(facts ? shownSize(facts, null) : USUAL)} />;
  }
  const { sources, image } = variantsOf(facts, crop, site.root, address);
  const sizes = SIZES[place];
  return (
    <picture>
      {sources.map(({ type, srcSet }) => (
        <source key={type} type={type} srcSet={srcSet} sizes={sizes} />
      ))}
      <img {...image} alt={alt} sizes={sizes} {...common} />
    </picture>
  );
}

/**
 * Variants for the browser: the last format is that of the image itself. Drafts change often, and have only what is
 * made quickly.
 * @param address as it was uploaded
 */
function variantsOf(facts: PictureFacts, crop: Crop | null, root: SiteRoot, address: string) {
  const isDraft = isDraftRoot(root);
  const formats = isDraft ? (['webp'] as const) : pictureFormats;
  const size = shownSize(facts, crop);
  const widths = servedWidths(size.width);
  const all = formats.map((format) => ({
    type: `image/${format}`,
    addresses: widths.map((width) => variantAddress(facts, { width, format, crop })),
  }));
  const listed = all.map(({ type, addresses }) => ({
    type,
    srcSet: addresses.map((each, index) => `${each} ${String(widths[index])}w`).join(', '),
  }));
  const [last, ...others] = listed.toReversed();
  const addresses = all.at(-1)?.addresses ?? [];
  // For what knows no srcset: a size that is good enough for all.
  const src = isDraft ? address : addresses[Math.min(2, addresses.length - 1)];
  return { sources: others.toReversed(), image: { src, srcSet: last?.srcSet, ...size } };
}

/** Keeps the point that matters in sight where the picture is cut to fit. It counts within the part that is shown. */
function focusStyle(focus: Focus | null, crop: Crop | null): CSSProperties | undefined {
  if (focus === null) return undefined;
  const within = (point: number, start: number, length: number) =>
    Math.round(Math.min(100, Math.max(0, ((point - start) * 100) / length)));
  const x = within(focus.x, crop?.x ?? 0, crop?.width ?? 100);
  const y = within(focus.y, crop?.y ?? 0, crop?.height ?? 100);
  return { objectPosition: `${String(x)}% ${String(y)}%` };
}

const IMAGE = /<img ([^>]*)>/g;
const SOURCE = /\bsrc="(\/media\/[^"]+)"/;

/** Pictures of the library within markup, in all their sizes. Whoever wrote the markup may have said how large they are. */
export function withPictureSizes(html: string, { root, pictures }: PictureProps['site']): string {
  return html.replaceAll(IMAGE, (tag, attributes: string) => {
    const src = SOURCE.exec(attributes)?.[1] ?? '';
    const { assetId, crop } = pictureSource(src.replaceAll('&amp;', '&'));
    const facts = assetId === null ? undefined : pictures[assetId];
    if (facts === undefined || facts.mediaType === MOVING) return tag;
    const { sources, image } = variantsOf(facts, crop, root, src);
    const rest = attributes.replace(SOURCE, '').trim();
    const size = /\b(?:width|height)=/.test(rest)
      ? ''
      : ` width="${String(image.width)}" height="${String(image.height)}"`;
    const listed = sources.map(
      ({ type, srcSet }) => `<source type="${type}" srcset="${srcSet}" sizes="${SIZES.text}">`,
    );
    const own = `src="${image.src ?? ''}" srcset="${image.srcSet ?? ''}" sizes="${SIZES.text}"${size}`;
    return `<picture>${listed.join('')}<img ${own} ${rest}></picture>`;
  });
}
