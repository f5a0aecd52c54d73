/* Pictures of the media library as the site shows them: which part, around which point, and in which sizes. */

/** A part of a picture, whole percents of its width and height. */
export interface Crop {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A point of a picture that is never cut off, whole percents from its left and top. */
export interface Focus {
  readonly x: number;
  readonly y: number;
}

/** A picture as a page asks for it. */
export interface PictureSource {
  /** Without what follows a `#`. */
  readonly address: string;
  /** Id in the media library; null: it is from elsewhere. */
  readonly assetId: string | null;
  /** Null: all of it. */
  readonly crop: Crop | null;
  /** Null: its middle. */
  readonly focus: Focus | null;
}

const LIBRARY_ADDRESS = /^\/media\/(ast_[0-9a-z]{6})\/[\w.-]+$/;
const CROP = /(?:^|&)xywh=percent:(\d{1,2}),(\d{1,2}),(\d{1,3}),(\d{1,3})(?:&|$)/;
const FOCUS = /(?:^|&)focus=percent:(\d{1,3}),(\d{1,3})(?:&|$)/;

/**
 * Reads the address of a picture. The part to show stands behind a `#`, as W3C Media Fragments have it
 * (`#xywh=percent:10,0,80,100`), beside it the point that matters (`&focus=percent:40,30`). What knows neither shows the
 * whole picture.
 */
export function pictureSource(src: string): PictureSource {
  const [address = '', fragment = ''] = src.split('#', 2);
  const crop = numbers(CROP, fragment);
  const focus = numbers(FOCUS, fragment);
  const [x = 0, y = 0, width = 0, height = 0] = crop ?? [];
  const isPart = crop !== null && width > 0 && height > 0 && x + width <= 100 && y + height <= 100;
  const [left = 0, top = 0] = focus ?? [];
  return {
    address,
    assetId: LIBRARY_ADDRESS.exec(address)?.[1] ?? null,
    crop: isPart && (width < 100 || height < 100) ? { x, y, width, height } : null,
    focus: focus !== null && left <= 100 && top <= 100 ? { x: left, y: top } : null,
  };
}

function numbers(pattern: RegExp, text: string): number[] | null {
  return pattern.exec(text)?.slice(1).map(Number) ?? null;
}

/** The address of a picture with what is to be shown of it. */
export function pictureAddress({ address, crop, focus }: Omit<PictureSource, 'assetId'>): string {
  const parts = [
    ...(crop ? [`xywh=percent:${cropText(crop, ',')}`] : []),
    ...(focus ? [`focus=percent:${String(focus.x)},${String(focus.y)}`] : []),
  ];
  return parts.length === 0 ? address : `${address}#${parts.join('&')}`;
}

function cropText({ x, y, width, height }: Crop, separator: string): string {
  return [x, y, width, height].join(separator);
}

/** Formats that pictures are served in, the smallest files first. */
export const pictureFormats = ['avif', 'webp'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** Widths that pictures are served in; pixels: a phone, the same twice as fine, a column, a page, a page twice as fine. */
const WIDTHS = [400, 800, 1_200, 1_600, 2_400] as const;

/** Facts of a picture that a page needs to show it. */
export interface PictureFacts {
  readonly id: string;
  /** Stands for its bytes. */
  readonly version: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly mediaType: string;
}

/** Pixels of the part that is shown. */
export function shownSize({ width, height }: Pick<PictureFacts, 'width' | 'height'>, crop: Crop | null) {
  const share = (whole: number, percent: number) => Math.max(1, Math.round((whole * percent) / 100));
  return { width: share(width, crop?.width ?? 100), height: share(height, crop?.height ?? 100) };
}

/** Widths in which a picture that is so wide is served: five at most, and never wider than it is. */
export function servedWidths(width: number): readonly number[] {
  const smaller = WIDTHS.filter((each) => each < width);
  return smaller.length === WIDTHS.length ? WIDTHS : [...smaller, width];
}

/** One of the sizes of a picture. */
export interface PictureVariant {
  /** Pixels. */
  readonly width: number;
  readonly format: PictureFormat;
  readonly crop: Crop | null;
}

/** The name of a variant: the last part of its address, and its key where it is kept. */
export function variantName({ width, format, crop }: PictureVariant): string {
  return `${String(width)}${crop === null ? '' : `-${cropText(crop, '-')}`}.${format}`;
}

/** Reads a name of a variant; null: it is none. */
export function variantOf(name: string): PictureVariant | null {
  const found = /^(\d{1,4})(?:-(\d{1,2})-(\d{1,2})-(\d{1,3})-(\d{1,3}))?\.(avif|webp)$/.exec(name);
  if (!found) return null;
  const [, width = '', x, y, cropWidth, cropHeight, format] = found;
  const isPart = x !== undefined;
  const { crop } = pictureSource(`#xywh=percent:${[x, y, cropWidth, cropHeight].join(',')}`);
  const variant = { width: Number(width), format: format as PictureFormat, crop };
  // One name for each: a crop that is none, or zeros in front, are others.
  return (crop !== null) === isPart && variantName(variant) === name ? variant : null;
}

/** The address of a variant. What is behind it never changes. */
export function variantAddress({ id, version }: Pick<PictureFacts, 'id' | 'version'>, variant: PictureVariant): string {
  return `/media/${id}/${version}/${variantName(variant)}`;
}
