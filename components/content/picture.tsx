import type { CSSProperties } from 'react';
import type { FieldMark } from '#components/content/text/field-marks.ts';
import type { SiteAddresses } from '#components/content/site-context.ts';
import { isDraftRoot, type SiteRoot } from '#components/content/text/site-href.ts';
import { isReadableAddress } from '#server/core/addresses';
import {
  type Crop,
  type Focus,
  pictureFormats,
  type PictureFacts,
  pictureSource,
  servedWidths,
  shownSize,
  variantAddress,
} from '#server/core/site/pictures';

/**
 * Displayed widths of pictures by place, for the attribute `sizes`: a browser chooses a file before it knows the
 * styles. They follow site.css.
 */
const SIZES = {
  /** For a picture as wide as the page. */
  page: '(min-width: 80rem) 72rem, 92vw',
  /** Next to text, or below it on narrow screens. */
  half: '(min-width: 80rem) 34rem, (min-width: 56rem) 45vw, 92vw',
  /** One of several next to each other. */
  column: '(min-width: 80rem) 23rem, (min-width: 40rem) 45vw, 92vw',
  /** In running text. */
  text: '(min-width: 50rem) 44rem, 92vw',
} as const;

/** GIF pictures may be animated, and are served unchanged. */
const ANIMATED = 'image/gif';
/** Assumed size of external pictures, whose real size is unknown; pixels. The ratio 3:2 is that of most photos. */
const ASSUMED_SIZE = { width: 1_200, height: 800 };

interface PictureProps {
  readonly src: string;
  readonly alt: string;
  readonly place: keyof typeof SIZES;
  readonly site: SiteAddresses;
  /** True for a picture that is visible without scrolling, which loads first. Default: it loads when scrolled to. */
  readonly loadsFirst?: boolean;
  readonly mark?: FieldMark;
}

/**
 * A picture of the site. A picture of the media library is offered in five widths and two formats, from which the
 * browser chooses; its address contains the visible part and the focus point.
 */
export function Picture({ src, alt, place, site, loadsFirst = false, mark }: PictureProps) {
  // Editors see the broken picture, so that they can replace it.
  if (!isReadableAddress(src) && !isDraftRoot(site.root)) return null;
  const { address, assetId, crop, focus } = pictureSource(src);
  const facts = assetId === null ? undefined : site.pictures[assetId];
  const loading = loadsFirst ? ({ fetchPriority: 'high' } as const) : ({ loading: 'lazy', decoding: 'async' } as const);
  const style = focusStyle(focus, crop);
  const common = { ...loading, ...(style && { style }), ...mark };
  if (facts === undefined || facts.mediaType === ANIMATED) {
    return <img src={address} alt={alt} {...common} {...(facts ? shownSize(facts, null) : ASSUMED_SIZE)} />;
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
 * The variants of a picture among which the browser chooses. `image` has the format that every browser supports, and
 * `sources` the better ones. Drafts change often, and have only the variants that are made quickly.
 * @param address address of the uploaded file
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
  // Fallback for clients without srcset: a size that is good enough for all.
  const src = isDraft ? address : addresses[Math.min(2, addresses.length - 1)];
  return { sources: others.toReversed(), image: { src, srcSet: last?.srcSet, ...size } };
}

/** Keeps the focus point visible where the picture is cropped to fit. The point is relative to the visible part. */
function focusStyle(focus: Focus | null, crop: Crop | null): CSSProperties | undefined {
  if (focus === null) return undefined;
  const within = (point: number, start: number, length: number) =>
    Math.round(Math.min(100, Math.max(0, ((point - start) * 100) / length)));
  const x = within(focus.x, crop?.x ?? 0, crop?.width ?? 100);
  const y = within(focus.y, crop?.y ?? 0, crop?.height ?? 100);
  return { objectPosition: `${String(x)}% ${String(y)}%` };
}

/** An image element, as the sanitizer writes it. */
const IMAGE = /<img ([^>]*)>/g;
/** Attribute with the address of a picture of the library. */
const SOURCE = /\bsrc="(\/media\/[^"]+)"/;

/**
 * Replaces the pictures of the library within HTML by `picture` elements with all variants. Width and height are added
 * only if the markup has neither. The HTML must be the output of safeHtml or markdownToHtml.
 */
export function withPictureSizes(html: string, { root, pictures }: PictureProps['site']): string {
  return html.replaceAll(IMAGE, (tag, attributes: string) => {
    const src = SOURCE.exec(attributes)?.[1] ?? '';
    const { assetId, crop } = pictureSource(src.replaceAll('&amp;', '&'));
    const facts = assetId === null ? undefined : pictures[assetId];
    if (facts === undefined || facts.mediaType === ANIMATED) return tag;
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
