import type { NextConfig } from 'next';

/**
 * Server packages that Node.js loads as they are. libSQL has native code; the others are large (the tokenizer's
 * vocabulary, the AI SDK), and bundling copies them into every route: that made the build seven times as long.
 */
const notBundled = [
  '@ai-sdk/openai-compatible',
  '@libsql/client',
  '@openrouter/ai-sdk-provider',
  '@redis/client',
  'ai',
  'drizzle-orm',
  'gpt-tokenizer',
  'libsql',
  'pino',
];

/** Headers of every answer. Addresses of drafts and conversations are nobody else's business. */
const everywhere = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'same-origin' },
];

function policy(source: string, ...directives: string[]) {
  return { source, headers: [{ key: 'Content-Security-Policy', value: directives.join('; ') }] };
}

/**
 * What the browser may load, and who may frame it. Drafts are written by a model, which could send away what it has
 * read in the address of a picture as soon as the preview shows it; so they load pictures of this origin only. What is
 * published may show pictures from elsewhere, as sites do. The desk frames both; nobody frames the desk.
 */
const policies = [
  policy('/preview/:path*', "img-src 'self' data:", "frame-ancestors 'self'"),
  policy('/site/:path*', "img-src 'self' data: https:", "frame-ancestors 'self'"),
  policy('/:path((?!(?:preview|site)(?:/|$)).*)', "frame-ancestors 'none'"),
];

const config: NextConfig = {
  poweredByHeader: false,
  // `npm run dev` binds to this address; without the line Next serves its dev resources to localhost only.
  allowedDevOrigins: ['127.0.0.1'],
  // Write no files for coding agents into the project.
  agentRules: false,
  serverExternalPackages: notBundled,
  // Smaller server files would gain nothing: they are read once, from this disk.
  experimental: { serverMinification: false },
  // `npm test` runs tsc on the whole project, tests included; someone who only starts the app need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Images come from the site's own media and are served as they are: no fetching of remote hosts by the server.
  images: { unoptimized: true },
  headers: async () => [{ source: '/:path*', headers: everywhere }, ...policies],
};

export default config;
