import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { projectPath } from '#scripts/lib/project';
import type { SiteLook } from '#server/public-site/site-look';

const FOLDER = projectPath('.next/site');
const PROGRAM = `${FOLDER}/render.mjs`;
const MEDIA_TYPES: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', woff2: 'font/woff2' };
/** The fonts of nearly every page, in the letters of most languages written in Latin ones. */
const SHOWN_FIRST = /^(?:inter-latin-wght-normal|newsreader-latin-opsz-normal)-/;

/**
 * Builds the pages of the published site into a program of its own, which Next has no part in: what renders them, their
 * style sheet and their fonts. It takes a second or two.
 */
export async function buildSiteLook(): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: projectPath('.'),
    publicDir: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    css: { postcss: { plugins: [] } },
    // React comes along, so that there is one of it, built for production.
    ssr: { noExternal: ['react', 'react-dom'] },
    build: {
      ssr: 'components/content/site-document.tsx',
      ssrEmitAssets: true,
      target: 'node20',
      outDir: FOLDER,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'render.mjs' } },
    },
  });
}

/** Loads what was built. @throws Error with advice where nothing was */
export async function loadSiteLook(): Promise<SiteLook> {
  if (!existsSync(PROGRAM)) throw new Error('The pages of the site are not built yet. Run: npm run build');
  const { renderSiteDocument } = (await import(pathToFileURL(PROGRAM).href)) as {
    readonly renderSiteDocument: SiteLook['render'];
  };
  const assets = readdirSync(`${FOLDER}/assets`).map((name) => ({
    path: `/assets/${name}`,
    mediaType: MEDIA_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    data: readFileSync(`${FOLDER}/assets/${name}`),
  }));
  const paths = assets.map(({ path }) => path);
  const stylesheet = paths.find((path) => path.endsWith('.css'));
  if (stylesheet === undefined) throw new Error('The build of the site has no style sheet. Run: npm run build');
  const fonts = paths.filter((path) => SHOWN_FIRST.test(path.slice('/assets/'.length)));
  return { render: renderSiteDocument, stylesheet, fonts, assets, readImage };
}

/** Pictures that came with this program, by their endings. */
const IMAGES: Readonly<Record<string, string>> = { svg: 'image/svg+xml', png: 'image/png', jpg: 'image/jpeg' };

/** Reads a picture below `public/images`; null: there is none of this name. */
async function readImage(path: string) {
  const mediaType = IMAGES[/^\/images\/[\w-]+\.(\w+)$/.exec(path)?.[1] ?? ''];
  if (mediaType === undefined) return null;
  try {
    return { data: await readFile(projectPath(`public${path}`)), mediaType };
  } catch {
    return null;
  }
}
