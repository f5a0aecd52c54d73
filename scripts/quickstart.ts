import { build } from '#scripts/lib/build';
import { run } from '#scripts/lib/run';
import { isBuilt } from '#scripts/lib/source-hash';
import { exitWithMessage, exitWithParent, readEnvironment } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { requireFreePort } from '#scripts/lib/listen';
import { serve, serveOptionsOf } from '#scripts/lib/serve';

/** Fills the database and builds the app, as far as needed. */
async function prepare(): Promise<void> {
  console.log('> Preparing the database and the demo site');
  const seeded = await run('node', [projectPath('scripts/seed.ts')]);
  if (seeded.code !== 0) throw new Error('The database could not be prepared; the reason is above.');
  if (await isBuilt()) {
    console.log('> The build is up to date');
    return;
  }
  console.log('> Building the app (up to a minute, only after a change)');
  if ((await build()).code !== 0) throw new Error('The build failed; the reason is above.');
}

/** What is printed when the server is ready. */
function welcome(url: string): string {
  return `
Throughline is ready: ${url}

  ${url}         talk to the assistant and watch the site change
  ${url}/site    the published demo site

Try: "list the pages", then "add a faq section to Home". Ctrl+C stops the server; your content stays, and
npm run quickstart starts it again. With no API key the basic assistant answers; README.md says how
to use a real model.
`;
}

/* `npm run quickstart`: serves the demo site, built and filled when needed. */
exitWithParent();
try {
  const options = serveOptionsOf(readEnvironment());
  await requireFreePort(options);
  await prepare();
  console.log('> Starting the server');
  console.log(welcome(await serve(options)));
} catch (error) {
  exitWithMessage(error);
}
