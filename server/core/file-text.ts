import { foreignText } from '#server/core/foreign-text';
import { visibleText } from '#server/core/visible-text';

/** What could pass for our tag, in any spelling: the bracket that opens it. */
const TAG_OPENING = /<(?=[\s\p{Cf}]{0,10}\/?[\s\p{Cf}]{0,10}attached[-_ ]?file(?![a-z]))/giu;

/** A text file as a model reads it: as data with a name, which it cannot leave, whatever is written in it. */
export function attachedText(filename: string, text: string): string {
  return `<attached-file name="${plainName(filename)}">\n${foreignText(visibleText(text)).replaceAll(TAG_OPENING, '‹')}\n</attached-file>`;
}

interface ImageFacts {
  readonly filename?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** What a model reads in the place of an image. @param why it does not get the image itself */
export function imageText(
  { filename = 'image', width, height }: ImageFacts,
  why = 'this model cannot see images',
): string {
  return `[Image attached: ${plainName(filename)}${pixels({ width, height })}; ${why}]`;
}

/** An image of a tool's result where the result is told in words. */
export function toolImageText({ filename = 'image', ...size }: ImageFacts): string {
  return `[Image: ${plainName(filename)}${pixels(size)}]`;
}

/** Whether a text stands for a file, as one of these writes it. */
export function isFileText(text: string): boolean {
  return text.startsWith('<attached-file name="') || text.startsWith('[Image attached: ');
}

function pixels({ width, height }: ImageFacts): string {
  return width && height ? `, ${width} x ${height}` : '';
}

/** Of a file from elsewhere: a name cannot close what it stands in. */
export function plainName(filename: string): string {
  return filename
    .replaceAll(/["<>&[\]\p{C}]/gu, '_')
    .slice(0, 200)
    .toWellFormed();
}
