import { expect, it } from 'vitest';
import { toOklch } from '#server/core/site/design/colors';
import { contrastProblems } from '#server/core/site/design/design';
import { pictureColors } from '#server/site/media/picture-palette';
import { colouredPicture } from '#tests/support/pictures';

it.each(['#2b5bd7', '#b5651d', '#ffe08a', '#101010'])('makes a palette with enough contrast from %s', async (color) => {
  const palette = await pictureColors(await colouredPicture(color));
  expect(contrastProblems(palette)).toEqual([]);
  const [wanted, brand] = [toOklch(color), toOklch(palette.brand)];
  if (wanted.c > 0.05) expect(Math.abs(brand.h - wanted.h)).toBeLessThan(8);
});
