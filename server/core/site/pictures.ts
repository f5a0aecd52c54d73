/* Pictures of the media library as the site shows them: crop, focus point and sizes. */

/** A part of a picture, in whole percent of its width and height. */
export interface Crop {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A point of a picture that is never cut off, in whole percent from its left and top. */
export interface Focus {
  readonly x: number;
  readonly y: number;
}

/** A picture with the part of it that is shown. */
interface PictureAddress {
  /** Without the fragment (`#` and what follows). */
  readonly address: string;
  /** Null: the whole picture. */
  readonly crop: Crop | null;
  /** Null: the centre. */
  readonly focus: Focus | null;
}

/** A picture as a page refers to it. */
export interface PictureSource extends PictureAddress {
  /** Id in the media library; null if the picture is not from there. */
  readonly assetId: string | null;
}

/** Address of a picture in the media library, with its id. */
const LIBRARY_ADDRESS = /^\/media\/(ast_[0-9a-z]{6})\/[\w.-]+$/;
const CROP = /(?:^|&)xywh=percent:(\d{1,2}),(\d{1,2}),(\d{1,3}),(\d{1,3})(?:&|$)/;
const FOCUS = /(?:^|&)focus=percent:(\d{1,3}),(\d{1,3})(?:&|$)/;

/**
 * Parses the address of a picture. The crop is in the fragment, in the syntax of W3C Media Fragments
 * (`#xywh=percent:10,0,80,100`), followed by the focus point (`&focus=percent:40,30`). Software that knows neither
 * shows the whole picture.
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

/** Writes the address of a picture with its crop and focus: the reverse of `pictureSource`. */
export function pictureAddress({ address, crop, focus }: PictureAddress): string {
  const parts = [
    ...(crop ? [`xywh=percent:${cropText(crop, ',')}`] : []),
    ...(focus ? [`focus=percent:${String(focus.x)},${String(focus.y)}`] : []),
  ];
  return parts.length === 0 ? address : `${address}#${parts.join('&')}`;
}

function cropText({ x, y, width, height }: Crop, separator: string): string {
  return [x, y, width, height].join(separator);
}

/** Formats in which pictures are served, the smallest files first. */
export const pictureFormats = ['avif', 'webp'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/**
 * Widths in which pictures are served; pixels: a phone, a phone at double density, a column, a page, a page at double
 * density.
 */
const WIDTHS = [400, 800, 1_200, 1_600, 2_400] as const;

/** Properties of a picture that a page needs to show it. */
export interface PictureFacts {
  readonly id: string;
  /** Identifies the bytes. */
  readonly version: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly mediaType: string;
}

/** Size of the part of a picture that is shown; pixels. */
export function shownSize({ width, height }: { readonly width: number; readonly height: number }, crop: Crop | null) {
  const share = (whole: number, percent: number) => Math.max(1, Math.round((whole * percent) / 100));
  return { width: share(width, crop?.width ?? 100), height: share(height, crop?.height ?? 100) };
}

/** Widths in which a picture of this width is served: at most five, none larger than the picture. */
export function servedWidths(width: number): readonly number[] {
  const smaller = WIDTHS.filter((each) => each < width);
  return smaller.length === WIDTHS.length ? WIDTHS : [...smaller, width];
}

/** A picture in one width, crop and format. */
export interface PictureVariant {
  /** Pixels. */
  readonly width: number;
  readonly format: PictureFormat;
  readonly crop: Crop | null;
}

/** Name of a variant: the last part of its address, and its key in storage. */
export function variantName({ width, format, crop }: PictureVariant): string {
  return `${String(width)}${crop === null ? '' : `-${cropText(crop, '-')}`}.${format}`;
}

/** Parses the name of a variant; null if invalid. */
export function variantOf(name: string): PictureVariant | null {
  const found = /^(\d{1,4})(?:-(\d{1,2})-(\d{1,2})-(\d{1,3})-(\d{1,3}))?\.(avif|webp)$/.exec(name);
  if (!found) return null;
  const [, width = '', x, y, cropWidth, cropHeight, format] = found;
  const isPart = x !== undefined;
  const { crop } = pictureSource(`#xywh=percent:${[x, y, cropWidth, cropHeight].join(',')}`);
  const variant = { width: Number(width), format: format as PictureFormat, crop };
  // Each variant has exactly one name: names with an invalid crop or leading zeros are refused.
  return (crop !== null) === isPart && variantName(variant) === name ? variant : null;
}

/** Address of a variant. Its content never changes. */
export function variantAddress({ id, version }: PictureFacts, variant: PictureVariant): string {
  return `/media/${id}/${version}/${variantName(variant)}`;
}
