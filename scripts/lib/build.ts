import { run, type RunOptions, type RunResult } from '#scripts/lib/run';
import { writeRouteTable } from '#scripts/lib/route-table';
import { buildSiteTheme } from '#scripts/lib/build-site-theme';
import { sourceHash, stampBuild } from '#scripts/lib/source-hash';

/**
 * Builds the app for production; returns the result of `next build`.
 * @param capture collect the output instead of showing it
 */
export async function build({ capture = false }: Pick<RunOptions, 'capture'> = {}): Promise<RunResult> {
  const hash = await sourceHash();
  const result = await run('next', ['build'], { env: { NODE_ENV: 'production' }, capture });
  if (result.code === 0) {
    writeRouteTable();
    await buildSiteTheme();
    await stampBuild(hash);
  }
  return result;
}

if (import.meta.main) process.exitCode = (await build()).code;
