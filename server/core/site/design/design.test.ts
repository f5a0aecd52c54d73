import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { designAttributes, designStyle } from '#components/content/design-style.ts';
import { projectPath } from '#scripts/lib/project';
import { contrast, nearestPassing, TEXT_CONTRAST, textOn } from '#server/core/site/design/colors';
import { contrastProblems, DEFAULT_DESIGN, designSchema, patchedDesign } from '#server/core/site/design/design';
import { shadesOf } from '#server/core/site/design/shades';
import { siteDocumentSchema } from '#server/import-export/plan/export-format';
import { themeNames, withTheme } from '#server/core/site/design/themes';
import { isDeep } from '#tests/support/deep';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('contrast', () => {
  it('is that of WCAG 2', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('is enough for the nearest passing color, and for text on any color', () => {
    fc.assert(
      fc.property(color, color, (one, paper) => {
        expect(contrast(nearestPassing(one, [paper], TEXT_CONTRAST), paper)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
        expect(contrast(textOn(one), one)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
      }),
    );
  });

  it('is enough for every shade of an accepted palette, in light and in dark', () => {
    fc.assert(
      fc.property(color, color, color, (brand, ink, paper) => {
        fc.pre(contrastProblems({ brand, ink, paper }).length === 0);
        const { light, dark } = shadesOf({ brand, ink, paper });
        for (const shades of [light, dark]) {
          const texts = [shades.ink, shades.soft, shades.link, shades.wrong];
          for (const text of texts)
            for (const background of [shades.paper, shades.band])
              expect(contrast(text, background)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
          expect(contrast(shades['accent-ink'], shades.accent)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
        }
      }),
      { numRuns: isDeep ? 100 : 30 },
    );
  });

  it('is explained with the nearest colors that have it', () => {
    const found = contrastProblems({ brand: '#ffe08a', ink: '#9aa0a6', paper: '#ffffff' });
    expect(found.map((problem) => problem.color)).toEqual(['ink', 'brand']);
    for (const { nearest, needed } of found) expect(contrast(nearest, '#ffffff')).toBeGreaterThanOrEqual(needed);
  });
});

describe('the default design', () => {
  it('has the properties that sites had before they could have a design, and no attributes', () => {
    const before = { '--site-accent': '#8a3b1f', '--site-accent-ink': '#ffffff' };
    expect(designStyle(null, '#8a3b1f')).toEqual(before);
    expect(designAttributes(null)).toEqual({});
  });

  it('has plain colours that old browsers read, and the style sheet uses all of them', () => {
    const sheet = readFileSync(projectPath('components/content/site-base.css'), 'utf8');
    const auto = Object.entries(designStyle(DEFAULT_DESIGN, '#8a3b1f'));
    for (const [name, value] of auto) {
      expect(value, name).toMatch(/^#[0-9a-f]{6}$/);
      expect(sheet).toContain(`var(${name}`);
    }
    const dark = auto.filter(([name]) => name.startsWith('--dark-'));
    const always = designStyle({ ...DEFAULT_DESIGN, appearance: 'dark' }, '#8a3b1f');
    expect(always).toEqual(Object.fromEntries(dark.map(([name, value]) => [name.replace('dark', 'site'), value])));
  });

  it('completes a design that was exported before its newest parts existed', () => {
    const { icon: _icon, sectionStyle: _style, ...older } = DEFAULT_DESIGN;
    expect(siteDocumentSchema.shape.design.parse(older)).toEqual(DEFAULT_DESIGN);
    expect(siteDocumentSchema.shape.publishedDesign.parse(older)).toEqual(DEFAULT_DESIGN);
    expect(siteDocumentSchema.shape.publishedDesign.parse(null)).toBeNull();
  });

  it('keeps other values of a part that is changed', () => {
    const { palette } = patchedDesign(DEFAULT_DESIGN, { palette: { brand: '#1d4ed8' } });
    expect(palette).toEqual({ ...DEFAULT_DESIGN.palette, brand: '#1d4ed8' });
  });
});

it.each(themeNames)('the theme %s is a valid design whose colors have enough contrast', (name) => {
  const design = designSchema.parse(withTheme(DEFAULT_DESIGN, name));
  expect(contrastProblems(design.palette)).toEqual([]);
});
