import { stretch } from '#server/core/text/short-text';

/* Texts for images where a model reads text. */

/** Name, and size in pixels, of an image. */
interface ImageFacts {
  readonly filename?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Text that a model reads instead of an image of the user. @param why reason why it does not receive the image */
export function imageText(
  { filename = 'image', width, height }: ImageFacts,
  why = 'this model cannot see images',
): string {
  return `[Image attached: ${plainName(filename)}${pixels({ width, height })}; ${why}]`;
}

/** Text for an image in a tool's result, when the result is shown as text. */
export function toolImageText({ filename = 'image', ...size }: ImageFacts): string {
  return `[Image: ${plainName(filename)}${pixels(size)}]`;
}

function pixels({ width, height }: ImageFacts): string {
  return width && height ? `, ${width} x ${height}` : '';
}

/** Escapes the name of an external file, so that it cannot close the tag around it. */
export function plainName(filename: string): string {
  return stretch(filename.replaceAll(/["<>&[\]\p{C}]/gu, '_'), 0, 200);
}
