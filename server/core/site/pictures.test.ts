import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  pictureAddress,
  pictureSource,
  servedWidths,
  shownSize,
  variantName,
  variantOf,
} from '#server/core/site/pictures';

const percent = (min: number, max: number) => fc.integer({ min, max });
const crops = fc
  .record({ x: percent(0, 99), y: percent(0, 99), width: percent(1, 100), height: percent(1, 100) })
  .filter(({ x, y, width, height }) => x + width <= 100 && y + height <= 100 && (width < 100 || height < 100));
const focuses = fc.record({ x: percent(0, 100), y: percent(0, 100) });
const none = { nil: null };

describe('the address of a picture', () => {
  it('describes the shown part, and reads back the same', () => {
    fc.assert(
      fc.property(fc.option(crops, none), fc.option(focuses, none), (crop, focus) => {
        const address = '/media/ast_h7k2mp/kiln.jpg';
        expect(pictureSource(pictureAddress({ address, crop, focus }))).toEqual({
          address,
          assetId: 'ast_h7k2mp',
          crop,
          focus,
        });
      }),
    );
  });

  it.each([
    '#xywh=percent:10,0,91,100',
    '#xywh=percent:0,0,100,100',
    '#xywh=percent:0,0,0,50',
    '#xywh=10,10,20,20',
    '#focus=percent:101,0',
    '#kiln',
    '#',
    '',
  ])('shows the whole picture for an invalid part: %s', (fragment) => {
    expect(pictureSource(`https://elsewhere.example/a.jpg${fragment}`)).toEqual({
      address: 'https://elsewhere.example/a.jpg',
      assetId: null,
      crop: null,
      focus: null,
    });
  });
});

describe('a variant', () => {
  it('has one name, which tells all of it', () => {
    const formats = fc.constantFrom('avif' as const, 'webp' as const);
    fc.assert(
      fc.property(percent(1, 9_999), formats, fc.option(crops, none), (width, format, crop) => {
        const variant = { width, format, crop };
        expect(variantOf(variantName(variant))).toEqual(variant);
      }),
    );
    for (const name of [
      '0800.webp',
      '800.jpg',
      '800-0-0-100-100.webp',
      '800-05-0-50-50.webp',
      '800-60-0-50-50.webp',
      '.webp',
    ])
      expect(variantOf(name), name).toBeNull();
  });

  it('is of five widths at most, the widest no wider than the picture', () => {
    expect(servedWidths(4_000)).toEqual([400, 800, 1_200, 1_600, 2_400]);
    expect(servedWidths(2_400)).toEqual([400, 800, 1_200, 1_600, 2_400]);
    expect(servedWidths(1_000)).toEqual([400, 800, 1_000]);
    expect(servedWidths(60)).toEqual([60]);
    expect(shownSize({ width: 1_001, height: 500 }, { x: 0, y: 0, width: 50, height: 10 })).toEqual({
      width: 501,
      height: 50,
    });
  });
});
