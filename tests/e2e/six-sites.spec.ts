import type { Page } from '@playwright/test';
import { violationsOf } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { isDeep } from '#tests/support/deep';
import { briefs, startSiteFromBrief } from '#tests/support/six-sites';

/** How a site looks, from its start page. */
interface Look {
  readonly palette: string;
  readonly fonts: string;
  readonly header: string;
  /** Layout of each kind of section on any page: `features:cards`. */
  readonly layouts: ReadonlySet<string>;
}

async function layoutsOn(page: Page): Promise<string[]> {
  return page.locator('.site-entry > .site-section').evaluateAll((sections) =>
    sections.map((section) => {
      const kind = [...section.classList].find((name) => name.startsWith('site-section-'))!;
      const layout = section.querySelector('[data-layout]')?.getAttribute('data-layout') ?? 'default';
      return `${kind.slice('site-section-'.length)}:${layout}`;
    }),
  );
}

async function lookOf(page: Page, layouts: readonly string[]): Promise<Look> {
  const { attributes, ...style } = await page.locator('.site').evaluate((site) => {
    const css = getComputedStyle(site);
    return {
      palette: `${css.getPropertyValue('--site-accent')} ${css.backgroundColor} ${css.color}`,
      fonts: css.getPropertyValue('--site-heading') + css.getPropertyValue('--site-text'),
      attributes: Object.fromEntries(Object.entries((site as HTMLElement).dataset)),
    };
  });
  const header = `${attributes['header'] ?? 'row'} ${'sticky' in attributes ? 'sticky' : ''}`;
  return { ...style, header, layouts: new Set(layouts) };
}

/** Left edges of header, sections and footer that begin at the common edge; pixels. */
async function leftEdges(page: Page): Promise<number[]> {
  return page.locator('.site-header, .site-entry > *, .site-footer').evaluateAll((elements) => {
    const lefts = elements.flatMap((element) => {
      if (element.matches(':has(> [data-layout=full-width], > [data-layout=cover])')) return [];
      const edge = element.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(element).paddingLeft);
      const inner = element.querySelector(':scope > [data-layout=band]');
      return inner === null ? [edge] : [edge + Number.parseFloat(getComputedStyle(inner).paddingLeft)];
    });
    return [...new Set(lefts.map(Math.round))];
  });
}

/** Kinds that both sites have and show in different layouts. */
function otherLayouts(one: Look, other: Look): string[] {
  const kinds = (look: Look) => Object.groupBy(look.layouts, (layout) => layout.split(':')[0]!);
  const [first, second] = [kinds(one), kinds(other)];
  return Object.keys(first).filter(
    (kind) => second[kind] !== undefined && first[kind]!.toSorted().join() !== second[kind].toSorted().join(),
  );
}

test('six sites from six briefs look different, and axe finds nothing on any page', async ({ page, browser }) => {
  test.skip(!isDeep, 'npm run test:deep');
  const looks: (Look & { readonly kit: string })[] = [];
  for (const brief of briefs) {
    await using started = await startSiteFromBrief(brief);
    const { site, paths } = started;
    expect(paths).toHaveLength(5);
    // Visitors with a phone, whose menu opens without scripts.
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' });
    const small = await phone.newPage();
    const layouts: string[] = [];
    for (const path of paths) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${site}${path}`);
      layouts.push(...(await layoutsOn(page)));
      if (path === '/') looks.push({ kit: brief.kit, ...(await lookOf(page, [])) });
      expect(await leftEdges(page), `left edges of ${brief.kit}${path}`).toHaveLength(1);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await violationsOf(page), `${brief.kit}${path} in ${colorScheme}`).toEqual([]);
      }
      await small.goto(`${site}${path}`);
      await small.locator('.site-menu > summary').click();
      await expect(small.locator('.site-menu').getByRole('link').first()).toBeVisible();
      for (const colorScheme of ['light', 'dark'] as const) {
        await small.emulateMedia({ colorScheme });
        expect(await violationsOf(small), `${brief.kit}${path} on a phone in ${colorScheme}`).toEqual([]);
      }
      expect(await small.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    }
    await phone.close();
    looks.push({ ...looks.pop()!, layouts: new Set(layouts) });
  }
  for (const [index, one] of looks.entries())
    for (const other of looks.slice(index + 1)) {
      const pair = `${one.kit} and ${other.kit}`;
      for (const part of ['palette', 'fonts', 'header'] as const)
        expect(one[part], `${part} of ${pair}`).not.toBe(other[part]);
      expect(otherLayouts(one, other).length, `layouts of ${pair}`).toBeGreaterThanOrEqual(2);
    }
});
