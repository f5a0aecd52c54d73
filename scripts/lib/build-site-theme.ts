import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { InlineConfig } from 'vite';
import { projectPath } from '#scripts/lib/project';
import { type FontPair, fontPairs } from '#server/core/site/design/design-choices';
import { DEFAULT_DESIGN } from '#server/core/site/design/design';
import type { SiteTheme } from '#server/site/public/site-theme';

/** Where the program is built. */
const FOLDER = projectPath('.next/site');
const PROGRAM = `${FOLDER}/render.mjs`;
/** Media types of its files, by file extension. */
const MEDIA_TYPES: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', woff2: 'font/woff2' };
/** The pairs of fonts that are not part of the style sheet of all sites. */
const ownPairs = fontPairs.filter((pair) => pair !== DEFAULT_DESIGN.fonts);
const sheetName = (pair: FontPair) => `fonts-${pair}`;
const sheetPath = (pair: FontPair) => projectPath(`components/content/fonts/${pair}.css`);
/** Fonts of such a pair that nearly every page needs at once. */
const PAIR_PRELOADED = /-latin-wght-normal-/;
const FONT_ADDRESS = /\/assets\/[\w.-]+\.woff2/g;
/** Fonts that nearly every page needs at once, for most languages with Latin letters. */
const PRELOADED_FONTS = /^(?:inter-latin-wght-normal|newsreader-latin-opsz-normal)-/;

/**
 * Builds the pages of the published site into a separate program without Next: the renderer, the style sheet and the
 * fonts. Takes a second or two.
 */
export async function buildSiteTheme(): Promise<void> {
  const { build } = await import('vite');
  const common = {
    configFile: false,
    root: projectPath('.'),
    publicDir: false,
    logLevel: 'warn' as const,
    define: { 'process.env.NODE_ENV': '"production"' },
    css: { postcss: { plugins: [] } },
  } satisfies InlineConfig;
  await build({
    ...common,
    // Bundles React so that there is only one copy, built for production.
    ssr: { noExternal: ['react', 'react-dom'] },
    build: {
      ssr: 'components/content/render-site-page.tsx',
      ssrEmitAssets: true,
      target: 'node20',
      outDir: FOLDER,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'render.mjs' } },
    },
  });
  // The fonts of each other design are a style sheet of their own, so that a site loads only its own.
  await build({
    ...common,
    build: {
      outDir: FOLDER,
      emptyOutDir: false,
      assetsInlineLimit: 0,
      rolldownOptions: { input: Object.fromEntries(ownPairs.map((pair) => [sheetName(pair), sheetPath(pair)])) },
    },
  });
}

/** Loads the built program. @throws Error with advice if nothing was built */
export async function loadSiteTheme(): Promise<SiteTheme> {
  if (!existsSync(PROGRAM)) throw new Error('The pages of the site are not built yet. Run: npm run build');
  const { renderSiteDocument } = (await import(pathToFileURL(PROGRAM).href)) as {
    readonly renderSiteDocument: SiteTheme['render'];
  };
  const assets = readdirSync(`${FOLDER}/assets`).map((name) => ({
    path: `/assets/${name}`,
    mediaType: MEDIA_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    data: readFileSync(`${FOLDER}/assets/${name}`),
  }));
  const paths = assets.map(({ path }) => path);
  const stylesheet = paths.find((path) => path.endsWith('.css') && !path.startsWith('/assets/fonts-'));
  if (stylesheet === undefined) throw new Error('The build of the site has no style sheet. Run: npm run build');
  const fonts = paths.filter((path) => PRELOADED_FONTS.test(path.slice('/assets/'.length)));
  const fontsIn = (path: string) => {
    const text = assets.find((asset) => asset.path === path)?.data.toString('utf8') ?? '';
    return [...new Set(text.match(FONT_ADDRESS))];
  };
  const pairs = Object.fromEntries(
    ownPairs.flatMap((pair) => {
      const sheet = paths.find((path) => path.startsWith(`/assets/${sheetName(pair)}-`) && path.endsWith('.css'));
      if (sheet === undefined) return [];
      const files = fontsIn(sheet);
      return [[pair, { stylesheet: sheet, fonts: files.filter((path) => PAIR_PRELOADED.test(path)), files }]];
    }),
  );
  return { render: renderSiteDocument, stylesheet, fonts, pairs, assets, readImage };
}

/** Media types of the pictures that are part of this program, by file extension. */
const IMAGE_TYPES: Readonly<Record<string, string>> = { svg: 'image/svg+xml', png: 'image/png', jpg: 'image/jpeg' };

/** Reads a picture below `public/images`; null if it does not exist. */
async function readImage(path: string) {
  const mediaType = IMAGE_TYPES[/^\/images\/[\w-]+\.(\w+)$/.exec(path)?.[1] ?? ''];
  if (mediaType === undefined) return null;
  try {
    return { data: await readFile(projectPath(`public${path}`)), mediaType };
  } catch {
    return null;
  }
}
